import { MetError } from '../errors.ts';
import { matchKnots } from '../field/assemble.ts';
import type { FieldAxes } from '../field/field.ts';
import type { FileEntry } from './layout.ts';

/** What one entry contributes to one variable of a field: for each knot of the field its position in the entry, or −1. */
export interface Assignment {
  readonly entry: FileEntry;
  /** Index among the variables of the field. */
  readonly variable: number;
  readonly positions: Readonly<Record<keyof FieldAxes, Int32Array>>;
}

/**
 * Which entry gives which times and levels of a variable: the first that holds them. An hour or a level that no entry
 * holds is an error, for a hole would pass for weather where "unknown" means "none" (cloud ice).
 */
export function assignEntries(
  entries: readonly FileEntry[],
  variable: number,
  axes: Readonly<Record<keyof FieldAxes, Float64Array>>,
): Assignment[] {
  const times = axes.time.length;
  const levels = axes.level.length;
  const taken = new Uint8Array(times * levels);
  const assignments: Assignment[] = [];
  for (const entry of entries) {
    const time = matchKnots('time', axes.time, entry.axes.time);
    const level =
      entry.levelType === 'none' ? new Int32Array(levels) : matchKnots('level', axes.level, entry.axes.level);
    const byLevels = new Map<string, { level: Int32Array; time: Int32Array }>();
    for (let l = 0; l < times; l++) {
      if ((time[l] as number) < 0) continue;
      const free = level.map((position, k) => (taken[l * levels + k] === 1 ? -1 : position));
      const key = free.join();
      const group = byLevels.get(key) ?? { level: free, time: new Int32Array(times).fill(-1) };
      group.time[l] = time[l] as number;
      byLevels.set(key, group);
      free.forEach((position, k) => {
        if (position >= 0) taken[l * levels + k] = 1;
      });
    }
    const longitude = matchKnots('longitude', axes.longitude, entry.axes.longitude);
    const latitude = matchKnots('latitude', axes.latitude, entry.axes.latitude);
    for (const group of byLevels.values()) {
      if (group.level.every((position) => position < 0)) continue;
      assignments.push({ entry, variable, positions: { longitude, latitude, ...group } });
    }
  }
  requireAll(taken, entries[0]?.variable ?? '', axes);
  return assignments;
}

function requireAll(
  taken: Uint8Array,
  variable: string,
  axes: Readonly<Record<keyof FieldAxes, Float64Array>>,
): void {
  const hole = taken.indexOf(0);
  if (hole < 0) return;
  const levels = axes.level.length;
  const time = new Date(axes.time[Math.floor(hole / levels)] as number).toISOString();
  const level = axes.level[hole % levels] as number;
  const where = level > 0 ? `${time} on level ${level}` : time;
  throw new MetError('missing-time', `no file holds ${variable} of ${where}`, { variable, time, level });
}
