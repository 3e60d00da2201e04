import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Takes the lock of the store in the directory and keeps it. */
const database = new DatabaseSync(join(process.argv[2] ?? '', '.store', 'index.sqlite'), { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
console.log('locked');
setTimeout(() => undefined, 1_000_000);
