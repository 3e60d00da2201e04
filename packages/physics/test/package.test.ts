import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { moduleUrl, renderTable, TABLES } from '../scripts/make-tables.ts';

describe('the package stands alone', () => {
  const source = fileURLToPath(new URL('../src/', import.meta.url));
  const files = globSync('**/*.ts', { cwd: source });

  test('it names no dependencies', () => {
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  test('no module imports anything but its neighbours', () => {
    const foreign = files.flatMap((file) => {
      const text = readFileSync(`${source}${file}`, 'utf8');
      return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
        .map((match) => match[1] ?? '')
        .filter((specifier) => !specifier.startsWith('.'))
        .map((specifier) => `${file}: ${specifier}`);
    });
    expect(files.length).toBeGreaterThan(20);
    expect(foreign).toEqual([]);
  });
});

test.each(TABLES.map((table) => [table.csv, table] as const))('the module of %s is current', (_, table) => {
  expect(readFileSync(moduleUrl(table), 'utf8') === renderTable(table), 'run scripts/make-tables.ts').toBe(
    true,
  );
});
