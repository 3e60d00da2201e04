import { getCompileCacheDir } from 'node:module';
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (message: string) => {
  if (message === 'throw') throw new RangeError('thrown uncaught');
  if (message === 'exit') process.exit(7);
  parentPort?.postMessage(message === 'compile cache' ? getCompileCacheDir() : message);
});
