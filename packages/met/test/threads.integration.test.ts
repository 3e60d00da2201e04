import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stampOf } from '../src/dataset/file-stamp.ts';
import { Readers } from '../src/sources/netcdf/source.ts';
import { weatherThreadBytes } from '../src/threads/threads.ts';

const whole = stampOf(join(import.meta.dirname, 'reference/damaged/whole.nc'));

test('a reader without work ends while another goes on', async () => {
  const readers = new Readers(2);
  await Promise.all([readers.inspect(whole), readers.inspect(whole), readers.inspect(whole)]);
  const both = weatherThreadBytes();
  const endMs = performance.now() + 60_000;
  while (weatherThreadBytes() > 0.7 * both && performance.now() < endMs) {
    await readers.inspect(whole);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const one = weatherThreadBytes();
  await readers.close();
  expect(one).toBeGreaterThan(0);
  expect(one).toBeLessThan(0.7 * both);
  expect(weatherThreadBytes()).toBe(0);
}, 120_000);
