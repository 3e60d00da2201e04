import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { killWriters } from './store-kill.ts';

test('writers to a directory that are killed in a loop tear nothing, lose nothing and leave nothing behind', {
  timeout: 120_000,
}, async () => {
  const address = { kind: 'directory', path: await temporaryDirectory() } as const;
  const figures = await killWriters({ rounds: times(2), writers: 3, address });
  expect(figures.losses).toEqual([]);
  expect(figures.leftFiles).toBe(0);
  expect(figures.puts).toBeGreaterThan(0);
});

test('processes that count in one manifest in a directory lose no count', { timeout: 120_000 }, async () => {
  const address = { kind: 'directory', path: await temporaryDirectory() } as const;
  const figures = await killWriters({ rounds: 1, writers: 2, address, steps: 100, countsOnly: true });
  expect(figures).toMatchObject({ losses: [], counts: 200, unreportedCounts: 0 });
});
