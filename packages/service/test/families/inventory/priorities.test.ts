import { expect, test } from 'vitest';
import { inventoryFamily } from '../../../src/families/inventory/family.ts';

test('what clients wait for comes before the days of the inventory', async () => {
  const kinds = await inventoryFamily.jobKinds();
  const priorityOf = (name: string) => kinds.find((kind) => kind.name === name)?.priority ?? Number.NaN;
  expect(priorityOf('inventory.report')).toBeGreaterThan(priorityOf('inventory.model'));
  expect(priorityOf('inventory.report')).toBeGreaterThan(priorityOf('inventory.publish'));
});
