import { openSqlite } from '../../../src/database/sqlite.ts';

const [path = '', name = '', rounds = '0'] = process.argv.slice(2);
const database = await openSqlite(path);
for (let round = 0; round < Number(rounds); round += 1) {
  await database.transaction(async (tx) => {
    await tx.execute('UPDATE counter SET n = n + 1');
    await tx.execute('INSERT INTO written (writer, round) VALUES ($1, $2)', [name, round]);
  });
}
await database.close();
