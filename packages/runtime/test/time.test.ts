import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../src/index.ts';

test('units of time are milliseconds', () => {
  expect([SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]).toEqual([1_000, 60_000, 3_600_000, 86_400_000]);
});

test.each([
  [0, '1970-01-01T00:00Z'],
  [HOUR_MS + 5 * SECOND_MS, '1970-01-01T01:00:05Z'],
  [12, '1970-01-01T00:00:00.012Z'],
])('%d ms is shown as %s', (ms, text) => {
  expect(isoTime(ms)).toBe(text);
});
