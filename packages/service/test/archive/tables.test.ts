import { expect, test } from 'vitest';
import { KEPT_TABLES, OTHER_TABLES } from '../../src/archive/tables.ts';
import { migrations } from '../../src/migrations.ts';

test('a backup knows of every table, so a new one is not forgotten', () => {
  const statements = migrations.flatMap((step) => step.statements);
  const tables = statements.flatMap((text) => /^\s*CREATE TABLE (\w+)/i.exec(text)?.[1] ?? []);
  const known = [...Object.keys(KEPT_TABLES), ...OTHER_TABLES];
  expect(tables.filter((table) => !known.includes(table))).toEqual([]);
});
