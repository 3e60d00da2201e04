import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { stampOf } from '../../src/dataset/file-stamp.ts';
import { Readers } from '../../src/sources/netcdf/source.ts';
import { weatherThreadBytes } from '../../src/threads/threads.ts';

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
