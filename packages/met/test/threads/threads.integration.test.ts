import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { stampOf } from '../../src/dataset/file-stamp.ts';
import { Readers } from '../../src/sources/netcdf/source.ts';
import { Threads, weatherThreadBytes } from '../../src/threads/threads.ts';

const whole = stampOf(join(import.meta.dirname, '..', 'reference/damaged/whole.nc'));

test('a reader without work ends while another goes on', async () => {
  const readers = new Readers(2);
  await Promise.all([readers.inspect(whole), readers.inspect(whole), readers.inspect(whole)]);
  const both = weatherThreadBytes();
  const oneHasEnded = async () => {
    await readers.inspect(whole);
    return weatherThreadBytes() < 0.7 * both;
  };
  await until('one reader has ended', oneHasEnded, { pauseMs: 100 });
  const one = weatherThreadBytes();
  await readers.close();
  expect(one).toBeGreaterThan(0);
  expect(weatherThreadBytes()).toBe(0);
}, 120_000);

test('sources of a kind share the threads that are idle, until the last of them is closed', async () => {
  const readers = [new Readers(1), new Readers(1)];
  const [first, second] = readers;
  await first?.inspect(whole);
  const one = weatherThreadBytes();
  await second?.inspect(whole);
  expect(weatherThreadBytes()).toBeLessThan(1.5 * one);
  await first?.close();
  expect(weatherThreadBytes()).toBeGreaterThan(0);
  await second?.close();
  expect(weatherThreadBytes()).toBe(0);
});

test('small work takes turns with large work, also with two large ones at once', async () => {
  const threads = new Threads<number, number>(new URL('../support/sleeping-thread.ts', import.meta.url), 1);
  const done: string[] = [];
  const run = async (name: string, pieces: number) => {
    const results = await threads.run(new Array<number>(pieces).fill(5));
    done.push(name);
    return results;
  };
  const all = await Promise.all([run('large', 60), run('also large', 60), run('small', 2)]);
  expect(done[0]).toBe('small');
  expect(all.map((results) => results.length)).toEqual([60, 60, 2]);
  await threads.close();
});

test('work that is cancelled leaves the queue to the others', async () => {
  const threads = new Threads<number, number>(new URL('../support/sleeping-thread.ts', import.meta.url), 1);
  const stop = new AbortController();
  const cancelled = threads.run(new Array<number>(50).fill(5), { signal: stop.signal });
  const other = threads.run([5, 5]);
  stop.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  expect(await other).toEqual([5, 5]);
  await threads.close();
});

test('work that clients wait for does not wait behind work of jobs', async () => {
  const threads = new Threads<number, number>(new URL('../support/sleeping-thread.ts', import.meta.url), 1);
  const done: string[] = [];
  const run = async (name: string, isForJob: boolean, pieces: number) => {
    await threads.run(new Array<number>(pieces).fill(20), { isForJob });
    done.push(name);
  };
  await Promise.all([run('first job', true, 100), run('second job', true, 100), run('client', false, 20)]);
  expect(done[0]).toBe('client');
  await threads.close();
});
