import { setTimeout as sleep } from 'node:timers/promises';
import { serveRequests } from '../../src/threads/thread.ts';

serveRequests(async (ms: number) => {
  await sleep(ms);
  return ms;
});
