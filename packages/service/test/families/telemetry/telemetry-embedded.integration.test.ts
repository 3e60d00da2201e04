import { join } from 'node:path';
import { openStore } from '@contrails/platform/store';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { openDatabase } from '../../../src/migrations.ts';
import { describeTelemetry } from './telemetry.contract.ts';

describeTelemetry('telemetry on SQLite and a directory', async () => {
  const directory = await temporaryDirectory();
  const open = async () => ({
    database: await openDatabase({ database: 'embedded', directory }),
    store: await openStore({ kind: 'directory', path: join(directory, 'store') }),
  });
  const [one, other] = [await open(), await open()];
  return {
    one,
    other,
    async close() {
      for (const { database, store } of [one, other]) {
        await store.close();
        await database.close();
      }
    },
  };
});
