import { expect, test } from 'vitest';
import { killInventory } from './inventory-kill.ts';

test('a day whose workers are killed has the bytes of an undisturbed one', { timeout: 600_000 }, async () => {
  const { kills, losses } = await killInventory(2);
  expect(losses).toEqual([]);
  expect(kills).toBe(2);
});
