import { PLUME_COLUMNS, type PlumeTable } from '@contrails/physics/cocip';
import { expect, test } from 'vitest';
import { ContrailRows, columnsOfRows } from '../../src/flights/contrail-rows.ts';

const TO_MS = Date.parse('2024-02-29T06:10:00Z');

/** Points of one flight whose every quantity is the number of its row. */
function points(count: number): PlumeTable {
  const columns = PLUME_COLUMNS.map((name) => [name, Float64Array.from({ length: count }, (_, i) => i)]);
  return Object.fromEntries(columns) as unknown as PlumeTable;
}

test('rows of several steps are joined column by column', () => {
  const rows = new ContrailRows((waypoint) => waypoint + 100, new Int32Array(1));
  rows.add(points(3), 1, 3, TO_MS);
  rows.add(points(3), 0, 1, TO_MS + 600_000);
  const { waypoint, timeMs, quantities } = columnsOfRows(rows.finish());
  expect([...waypoint]).toEqual([101, 102, 100]);
  expect([...timeMs]).toEqual([TO_MS, TO_MS, TO_MS + 600_000]);
  const column = (name: string) => [...(quantities.find((one) => one.name === name)?.values ?? [])];
  expect(column('iwc')).toEqual([1, 2, 0]);
  expect(column('dT_dz')).toEqual([1, 2, 1e-6]);
});

test('more rows than a request may have are refused, whichever thread has the last of them', () => {
  const total = Int32Array.of(999_999);
  const rows = new ContrailRows((waypoint) => waypoint, total);
  rows.add(points(1), 0, 1, TO_MS);
  expect(() => rows.add(points(1), 0, 1, TO_MS)).toThrow(/more than 1000000 rows; send fewer flights/);
});
