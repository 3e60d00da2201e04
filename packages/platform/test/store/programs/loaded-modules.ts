import { registerHooks } from 'node:module';

/** Uses a store in the directory and writes the addresses of all modules that were loaded. */
registerHooks({
  load(url, context, nextLoad) {
    console.log(url);
    return nextLoad(url, context);
  },
});
const { openStore } = await import('../../../src/store/index.ts');
const store = await openStore({ kind: 'directory', path: process.argv[2] ?? '' });
await store.put('a', Buffer.from('x'));
await store.close();
