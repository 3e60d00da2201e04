import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { openStore } from '../../../src/store/index.ts';

/** Puts an object that never ends into the directory; reports when its first bytes are written. */
const store = await openStore({ kind: 'directory', path: process.argv[2] ?? '' });
async function* endless() {
  yield randomBytes(100_000);
  yield randomBytes(100_000);
  console.log('writing');
  await new Promise((resolve) => setTimeout(resolve, 1_000_000));
}
await store.put('never/there', Readable.from(endless()));
