import { collectGarbage } from '@contrails/runtime/threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJsonInTurns } from '../../src/http/json-parse.ts';

const inSlices = (text: string, sliceBytes: number) =>
  parseJsonInTurns(Buffer.from(text), JSON.parse, sliceBytes);

test('a text parsed in slices of any size is what JSON.parse makes of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue(),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (value, size, wide) => {
        const text = JSON.stringify(value, null, wide ? 2 : 0);
        expect(await inSlices(text, size)).toEqual(JSON.parse(text));
      },
    ),
  );
});

test('a damaged text is refused where JSON.parse refuses it', async () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '\\', '1', 'NaN', ' '))
    .map(([text, at, what]) => {
      const index = at % (text.length + 1);
      return `${text.slice(0, index)}${what}${text.slice(index + 1)}`;
    });
  await fc.assert(
    fc.asyncProperty(damaged, fc.integer({ min: 1, max: 20 }), async (text, size) => {
      let expected: unknown;
      try {
        expected = JSON.parse(Buffer.from(text).toString());
      } catch {
        await expect(inSlices(text, size)).rejects.toThrow(SyntaxError);
        return;
      }
      expect(await inSlices(text, size)).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  '[1,,2]',
  '[,1]',
  '[1,]',
  '{"a":1,}',
  '{,}',
  '[1}',
  '[1] 2',
  '{"a" 1}',
  '{1:2}',
  '[1',
  '"',
  '',
  '[ , [1,2,3]]',
])('the text %s is refused in slices too', async (text) => {
  for (let size = 0; size < text.length; size++)
    await expect(inSlices(text, size)).rejects.toThrow(SyntaxError);
  if (text === '') await expect(inSlices(text, 0)).rejects.toThrow(SyntaxError);
});

test('a name of the language is a name like any other', async () => {
  const text = '{"__proto__": {"a": [1, 2, 3]}, "constructor": 1, "a": 1, "a": 2}';
  const value = (await inSlices(text, 8)) as object;
  expect(Object.entries(value)).toEqual(Object.entries(JSON.parse(text)));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('other work has its turn while a large text is parsed', async () => {
  const text = JSON.stringify({ longitude: Array.from({ length: 20_000 }, (_, i) => i / 7) });
  let turns = 0;
  let isParsed = false;
  const other = (async () => {
    for (; !isParsed; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  await inSlices(text, 4096);
  isParsed = true;
  await other;
  expect(turns).toBeGreaterThan(50);
});

test('equal texts of a long list take memory once', async () => {
  const id = 'flight '.padEnd(1000, 'x');
  const bytes = Buffer.from(JSON.stringify(Array(20_000).fill(id)));
  collectGarbage('full');
  const before = process.memoryUsage().heapUsed;
  const list = (await parseJsonInTurns(bytes, JSON.parse)) as string[];
  collectGarbage('full');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  expect(new Set(list)).toEqual(new Set([id]));
  expect(list).toHaveLength(20_000);
});

test('large texts are parsed one after another, and one that fails lets the next begin', async () => {
  const large = Buffer.from(`["${'x'.repeat(1000)}"${',123456789'.repeat(1_000_000)}]`);
  const begun: string[] = [];
  const parse = (name: string) => (text: string) => {
    if (begun.at(-1) !== name) begun.push(name);
    if (name === 'b') throw new SyntaxError('b');
    return JSON.parse(text);
  };
  const [a, b, c] = await Promise.allSettled(
    ['a', 'b', 'c'].map((name) => parseJsonInTurns(large, parse(name))),
  );
  expect(begun).toEqual(['a', 'b', 'c']);
  expect([a, b, c].map((result) => result?.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
