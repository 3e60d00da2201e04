import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LruMap } from '../src/index.ts';

test('forgets the entry that was neither read nor set for longest', () => {
  const map = new LruMap<string, number>({ capacity: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

test('does not keep an entry that outweighs it, and forgets nothing for it', () => {
  const map = new LruMap<string, string>({ capacity: 3, weigh: (text) => text.length });
  map.set('short', 'ab');
  map.set('long', 'abcd');
  expect([...map.keys()]).toEqual(['short']);
});

test('never weighs more than its capacity, and weighs what its entries weigh', () => {
  const operation = fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.nat(9), fc.nat(6));
  fc.assert(
    fc.property(fc.nat(12), fc.array(operation), (capacity, operations) => {
      const map = new LruMap<number, number>({ capacity, weigh: (value) => value });
      for (const [name, key, value] of operations) {
        if (name === 'set') map.set(key, value);
        else if (name === 'get') map.get(key);
        else map.delete(key);
        const sum = [...map.keys()].reduce((total, one) => total + (map.get(one) as number), 0);
        expect(map.weight).toBe(sum);
        expect(sum).toBeLessThanOrEqual(capacity);
      }
    }),
  );
});
