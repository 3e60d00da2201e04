import { expect, test } from 'vitest';
import { describeField, type Fields, nameOf, published, unitsOf } from '../src/fields.ts';

const FIELDS = {
  age: { unit: 'h', name: 'lifetime', perUnit: 60, description: 'Lifetime of a contrail.' },
  tau: { unit: '1' },
} as const satisfies Fields;

test('a field is published under its name and in its unit', () => {
  expect(nameOf(FIELDS, 'age')).toBe('lifetime');
  expect(unitsOf(FIELDS)).toEqual({ lifetime: 'h', tau: '1' });
  expect(published(FIELDS, { age: Float64Array.of(90, 30), tau: 0.1 })).toEqual({
    lifetime: Float64Array.of(1.5, 0.5),
    tau: 0.1,
  });
});

test('statistics of a field have its unit, and what is unknown stays null', () => {
  expect(published(FIELDS, { age: { mean: 60, p90: null } })).toEqual({ lifetime: { mean: 1, p90: null } });
});

test('the description of a field ends with its unit', () => {
  expect([describeField(FIELDS.age), describeField(FIELDS.tau)]).toEqual([
    'Lifetime of a contrail. [h]',
    '[1]',
  ]);
});
