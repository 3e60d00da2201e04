import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { openStore } from '../../src/store/index.ts';
import { describeStore } from './store.contract.ts';

describeStore('a store in a directory', async () => {
  const path = join(await temporaryDirectory(), 'with blanks and ünïcode');
  return {
    store: await openStore({ kind: 'directory', path }),
    other: await openStore({ kind: 'directory', path }),
    async plant(key, bytes) {
      const file = join(path, key);
      await mkdir(dirname(file), { recursive: true });
      // A new file: one that is written in place within a tick of the clock could look unchanged.
      await writeFile(`${file}~`, bytes);
      await rename(`${file}~`, file);
    },
  };
});
