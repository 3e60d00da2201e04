import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../../src/families/observations/frames/memory-budget.ts';

/** Work that lasts until it is ended, with what has begun. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => void ends.set(name, () => resolve(name)));
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

test('work begins while it fits, and waits in order where it does not', async () => {
  const budget = createMemoryBudget();
  const { begun, work, end } = works();
  const all = [
    budget.use(60, 100, work('a')),
    budget.use(40, 100, work('b')),
    budget.use(50, 100, work('c')),
    budget.use(1, 100, work('d')),
  ];
  await turn();
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await turn();
  // The small one does not overtake the large one.
  expect(begun).toEqual(['a', 'b']);
  end('a');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  end('c');
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('work that needs more than there is runs alone, and a failure frees its memory', async () => {
  const budget = createMemoryBudget();
  const failing = budget.use(500, 100, async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await budget.use(500, 100, async () => 'after')).toBe('after');
});
