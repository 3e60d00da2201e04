import { expect, test } from 'vitest';
import { table } from '../src/output.ts';

test('columns are aligned and nothing trails', () => {
  expect(
    table(
      ['id', 'name'],
      [
        ['a', 'x'],
        ['long', 'y z'],
      ],
    ),
  ).toBe('ID    NAME\na     x\nlong  y z');
});

test('what is listed cannot break the line or drive the terminal', () => {
  expect(table(['error'], [['two\nlines \u001b[31mred']])).toBe('ERROR\ntwo lines [31mred');
});

test('a table may have more rows than a function takes arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, k) => [String(k), 'x']);
  expect(table(['id', 'name'], rows).split('\n').at(-1)).toBe('199999  x');
});
