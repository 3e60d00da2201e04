import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { moduleUrl, readTable, TABLES } from '../scripts/make-tables.ts';

describe('the package stands alone', () => {
  const source = fileURLToPath(new URL('../src/', import.meta.url));
  const files = globSync('**/*.ts', { cwd: source });

  test('it names no dependencies', () => {
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  test('no module imports anything but its neighbours', () => {
    const foreign = files.flatMap((file) => {
      const text = readFileSync(`${source}${file}`, 'utf8');
      return [...text.matchAll(/\b(?:from\s+|import\s+|import\(\s*)'([^']+)'/g)]
        .map((match) => match[1] ?? '')
        .filter((specifier) => !specifier.startsWith('.'))
        .map((specifier) => `${file}: ${specifier}`);
    });
    expect(files.length).toBeGreaterThan(20);
    expect(foreign).toEqual([]);
  });
});

test.each(TABLES)('the module of $csv has the bits of the table', async (table) => {
  const [header = '', ...lines] = readTable(table);
  const module = (await import(moduleUrl(table).href)) as Record<string, Record<string, unknown>>;
  const { rowCount, ...columns } = Object.values(module)[0] ?? {};
  expect(rowCount).toBe(lines.length);
  expect(Object.keys(columns)).toHaveLength(header.split(',').length);
  const cells = lines.map((line) => line.split(','));
  const differences = Object.values(columns as Record<string, ArrayLike<unknown>>).flatMap((column, index) =>
    cells.flatMap((row, k) => (isSame(column[k], row[index] ?? '') ? [] : [`${header} ${k}: ${column[k]}`])),
  );
  expect(differences).toEqual([]);
});

function isSame(value: unknown, cell: string): boolean {
  return Object.is(value, typeof value === 'string' ? cell : cell === '' ? Number.NaN : Number(cell));
}
