import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary.ts';
import { killWriters } from './store-kill.ts';

test('writers to a directory that are killed in a loop tear nothing, lose nothing and leave nothing behind', {
  timeout: 120_000,
}, async () => {
  const address = { kind: 'directory', path: await temporaryDirectory() } as const;
  const figures = await killWriters({ rounds: 4, writers: 3, address });
  expect(figures.losses).toEqual([]);
  expect(figures.leftFiles).toBe(0);
  expect(figures.puts).toBeGreaterThan(0);
});

test('processes that count in one manifest in a directory lose no count', { timeout: 120_000 }, async () => {
  const address = { kind: 'directory', path: await temporaryDirectory() } as const;
  const figures = await killWriters({ rounds: 1, writers: 4, address, steps: 60, countsOnly: true });
  expect(figures).toMatchObject({ losses: [], counts: 240, unreportedCounts: 0 });
});
