import { test } from 'vitest';
import { expectTables } from '../../../../test/support/docs-tables.ts';
import {
  type ColumnSpec,
  LEG_COLUMNS,
  SEGMENT_COLUMNS,
  SUMMARY_COLUMNS,
} from '../../src/inventory/columns.ts';

test('the tables of columns in docs/inventory.md are what the code says', () =>
  expectTables('inventory.md', {
    summary: reference(SUMMARY_COLUMNS),
    segments: reference(SEGMENT_COLUMNS),
    legs: reference(LEG_COLUMNS),
  }));

function reference(columns: readonly ColumnSpec[]): string[] {
  const rows = columns.map(
    ({ name, type, nullable, unit, meaning }) =>
      `| \`${name}\` | ${type} | ${nullable === true ? 'yes' : 'no'} | ${unit ?? ''} | ${meaning} |`,
  );
  return ['| Column | Type | Null | Unit | Meaning |', '|---|---|---|---|---|', ...rows];
}
