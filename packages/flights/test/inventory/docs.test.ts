import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type ColumnSpec,
  LEG_COLUMNS,
  SEGMENT_COLUMNS,
  SUMMARY_COLUMNS,
} from '../../src/inventory/columns.ts';

const PAGE = '../../../../docs/inventory.md';
const TABLES = { summary: SUMMARY_COLUMNS, segments: SEGMENT_COLUMNS, legs: LEG_COLUMNS };

test('the tables of columns in docs/inventory.md are what the code says', async () => {
  const page = readFileSync(new URL(PAGE, import.meta.url), 'utf8');
  const generated = Object.entries(TABLES).reduce((text, [name, columns]) => {
    const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
    expect(text.indexOf(begin)).toBeGreaterThan(0);
    expect(text.indexOf(end)).toBeGreaterThan(text.indexOf(begin));
    return `${text.slice(0, text.indexOf(begin))}${begin}\n${reference(columns)}\n${text.slice(text.indexOf(end))}`;
  }, page);
  await expect(generated).toMatchFileSnapshot(PAGE);
});

function reference(columns: readonly ColumnSpec[]): string {
  const rows = columns.map(
    ({ name, type, nullable, unit, meaning }) =>
      `| \`${name}\` | ${type} | ${nullable === true ? 'yes' : 'no'} | ${unit ?? ''} | ${meaning} |`,
  );
  return ['| Column | Type | Null | Unit | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
