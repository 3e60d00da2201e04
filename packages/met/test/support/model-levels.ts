import type { MetField } from '../../src/field/field.ts';

/**
 * How far a field of temperature and humidity that was made linear in ln p on model levels (40 ln p and 1e-5 ln p) is
 * off on pressure levels, as a share of the value; NaN counts as far off.
 */
export function largestDeviation(field: MetField, levels: readonly number[]): number {
  let largest = 0;
  for (const slab of field.slabs) {
    for (let i = 0; i < slab.length; i++) {
      const lnLevel = Math.log(levels[Math.floor(i / 2) % levels.length] as number);
      const expected = (i % 2 === 0 ? 40 : 1e-5) * lnLevel;
      const deviation = Math.abs((slab[i] as number) - expected) / expected;
      largest = Number.isNaN(deviation) ? Number.POSITIVE_INFINITY : Math.max(largest, deviation);
    }
  }
  return largest;
}
