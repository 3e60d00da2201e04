import { wrapLongitude } from '@contrails/physics/numerics';
import type { FieldAxes } from '../field/field.ts';
import type { SourceDescription } from '../source.ts';
import type { IndexEntry } from './dataset-index.ts';

/** Axes of files that neither increase nor decrease; each is named once. */
export function unorderedAxes(entries: Iterable<IndexEntry>): NonNullable<SourceDescription['unordered']> {
  const found = new Map<string, { axis: keyof FieldAxes; path: string }>();
  for (const { axes, file } of entries) {
    for (const axis of ['longitude', 'latitude', 'level', 'time'] as const) {
      if (!isOrdered(axis, axes[axis])) found.set(`${axis} ${file.path}`, { axis, path: file.path });
    }
  }
  return [...found.values()];
}

/** Checked once: thousands of fields share an axis, and each description needs the result. */
const known = new WeakMap<Float64Array, boolean>();

function isOrdered(axis: keyof FieldAxes, values: Float64Array): boolean {
  const ordered = known.get(values) ?? hasOneDirection(axis, values);
  known.set(values, ordered);
  return ordered;
}

function hasOneDirection(axis: keyof FieldAxes, values: Float64Array): boolean {
  let ups = 0;
  let downs = 0;
  for (let i = 1; i < values.length; i++) {
    const step = (values[i] as number) - (values[i - 1] as number);
    // Meridians may go on beyond 180° or 360° from the other end of their numbers.
    const turned = axis === 'longitude' ? wrapLongitude(step) : step;
    if (turned > 0) ups++;
    if (turned < 0) downs++;
  }
  return Math.max(ups, downs) === Math.max(values.length - 1, 0);
}
