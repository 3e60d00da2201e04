import { setImmediate as nextTurn } from 'node:timers/promises';
import { CancelledError, UnavailableError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { chunksFile } from '../../src/http/chunks-file.ts';
import type { File } from '../../src/http/files.ts';
import { createResults, type MakeFile } from '../../src/http/results.ts';

const never = new AbortController().signal;

/** Makes the same text each time and counts how often. */
function maker(text: string): { make: MakeFile; made: number } {
  const counter = {
    made: 0,
    make: async () => {
      counter.made++;
      return chunksFile([Buffer.from(text)], 1000 * counter.made);
    },
  };
  return counter;
}

const textOf = async (file: File) => String(await file.open(undefined));

test('what was made once is not made again', async () => {
  const results = createResults(100);
  const answer = maker('grid');
  await results.obtain('a', never, answer.make);
  expect(await textOf(await results.obtain('a', never, answer.make))).toBe('grid');
  expect(answer.made).toBe(1);
});

test('the longest unused makes room', async () => {
  const results = createResults(10);
  const [a, b, c] = [maker('aaaa'), maker('bbbb'), maker('cccc')];
  await results.obtain('a', never, a.make);
  await results.obtain('b', never, b.make);
  await results.obtain('a', never, a.make);
  await results.obtain('c', never, c.make);
  expect(results.bytes).toBe(8);
  await textOf(await results.obtain('a', never, a.make));
  await textOf(await results.obtain('b', never, b.make));
  expect([a.made, b.made, c.made]).toEqual([1, 2, 1]);
});

test('an answer larger than all the room is given and not kept', async () => {
  const results = createResults(3);
  expect(await textOf(await results.obtain('a', never, maker('grid').make))).toBe('grid');
  expect(results.bytes).toBe(0);
});

test('of an answer that had to go, version and date are still known without making it', async () => {
  const results = createResults(3);
  const answer = maker('grid');
  const first = await results.obtain('a', never, answer.make);
  const second = await results.obtain('a', never, answer.make);
  expect(second).toMatchObject({ sha256: first.sha256, size: 4, modifiedMs: first.modifiedMs });
  expect(answer.made).toBe(1);
  expect(await textOf(second)).toBe('grid');
  expect(answer.made).toBe(2);
});

test('bytes that do not match their announced hash are not sent', async () => {
  const results = createResults(0);
  await results.obtain('a', never, maker('old').make);
  const file = await results.obtain('a', never, maker('new').make);
  await expect(file.open(undefined)).rejects.toThrow(UnavailableError);
});

test('a request during the computation waits for the same result', async () => {
  const results = createResults(100);
  const answer = maker('grid');
  const files = await Promise.all(Array.from({ length: 20 }, () => results.obtain('a', never, answer.make)));
  expect(await Promise.all(files.map(textOf))).toEqual(files.map(() => 'grid'));
  expect(answer.made).toBe(1);
});

test('a failure reaches every waiting request and is not cached', async () => {
  const results = createResults(100);
  const fail = async () => {
    await nextTurn();
    throw new UnavailableError('no');
  };
  const both = await Promise.allSettled([results.obtain('a', never, fail), results.obtain('a', never, fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await textOf(await results.obtain('a', never, maker('grid').make))).toBe('grid');
});

/** Work that goes on until it is told to stop, or to finish. */
function openWork() {
  const work = {
    stopped: false,
    finish: (_text: string) => {},
    make: (signal: AbortSignal) =>
      new Promise<File>((resolve, reject) => {
        work.finish = (text) => resolve(chunksFile([Buffer.from(text)], 0));
        signal.addEventListener('abort', () => {
          work.stopped = true;
          reject(new CancelledError('stopped'));
        });
      }),
  };
  return work;
}

test('one of several clients that leaves does not end the work of the others', async () => {
  const results = createResults(100);
  const work = openWork();
  const leaver = new AbortController();
  const left = results.obtain('a', leaver.signal, work.make);
  const stays = results.obtain('a', never, work.make);
  leaver.abort();
  await expect(left).rejects.toThrow(CancelledError);
  expect(work.stopped).toBe(false);
  work.finish('grid');
  expect(await textOf(await stays)).toBe('grid');
});

test('when the last client leaves the work ends, and the next one starts again', async () => {
  const results = createResults(100);
  const work = openWork();
  const leavers = [new AbortController(), new AbortController()];
  const left = leavers.map(({ signal }) => results.obtain('a', signal, work.make));
  for (const leaver of leavers) leaver.abort();
  const ends = await Promise.allSettled(left);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(work.stopped).toBe(true);
  expect(await textOf(await results.obtain('a', never, maker('grid').make))).toBe('grid');
});

test('a client that has already left starts no work', async () => {
  const results = createResults(100);
  const work = openWork();
  await expect(results.obtain('a', AbortSignal.abort(), work.make)).rejects.toThrow(CancelledError);
  expect(work.stopped).toBe(true);
});

test('warnings stay with an answer whose bytes are not kept', async () => {
  const results = createResults(0);
  const make: MakeFile = async () => ({
    ...(await chunksFile([Buffer.from('grid')], 1)),
    warnings: ['partly unknown'],
  });
  await results.obtain('a', never, make);
  expect((await results.obtain('a', never, make)).warnings).toEqual(['partly unknown']);
});
