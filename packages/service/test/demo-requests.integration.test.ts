import { setImmediate } from 'node:timers/promises';
import { createLog } from '@contrails/platform/log';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { askFirst } from '../src/demo.ts';
import { families } from '../src/families/index.ts';
import { startTrial } from './families/trajectory/support.ts';

const log = createLog({ level: 'error', format: 'json' });
const never = new Promise<void>(() => {});

test('what the demo asks for first is answered', async () => {
  const server = await startTrial();
  const answered: [path: string, status: number][] = [];
  await askFirst(
    async ({ path, body }) => {
      const answer = await server.send({
        method: body === undefined ? 'GET' : 'POST',
        url: path,
        headers: { 'x-api-key': server.key },
        ...(body && { payload: body }),
      });
      answered.push([path, answer.status]);
      return { statusCode: answer.status, body: '' };
    },
    never,
    log,
  );
  const expected = families.flatMap((one) => ('firstRequests' in (one.demo ?? {}) ? [one.name] : []));
  expect(expected).toEqual(expect.arrayContaining(['grid', 'trajectory', 'planning']));
  expect(answered.length).toBeGreaterThan(expected.length);
  expect(answered.filter(([, status]) => status !== 200)).toEqual([]);
});

test('a service that stops asks for nothing more, and a failure does not end the others', async () => {
  const asked: string[] = [];
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  await askFirst(
    async ({ path }) => {
      asked.push(path);
      if (asked.length === 1) throw new Error('no memory');
      stop();
      return never as never;
    },
    stopped,
    log,
  );
  expect(asked).toHaveLength(2);
});

test('what the end of the demo cancels is not called a failure', async () => {
  const lines: string[] = [];
  const watched = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const cancelled = { statusCode: 503, body: 'the work was cancelled' };
  await askFirst(
    async () => {
      stop();
      await stopped;
      return cancelled;
    },
    stopped,
    watched,
  );
  await setImmediate();
  expect(lines).toEqual([]);
});
