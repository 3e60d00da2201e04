/** What the reference libraries read from weather files, beside what we read. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type MetField, offsetOf } from '../../src/field/field.ts';

/** As `reference_weather.py` prints it; values are base64 of float64 [time][level][latitude][longitude]. */
interface ReferenceField {
  readonly variable: string;
  readonly time: readonly (number | null)[];
  readonly level: readonly (number | null)[];
  readonly latitude: readonly (number | null)[];
  readonly longitude: readonly (number | null)[];
  readonly values: string;
}

export type ReferenceVerdict = { readonly fields: readonly ReferenceField[] } | { readonly refusal: string };

export interface Comparison {
  readonly verdict: 'same' | 'read by us alone' | 'different';
  readonly message?: string;
}

export function readReference(
  python: string,
  directory: string,
  names: readonly string[],
): readonly ReferenceVerdict[] {
  const script = join(import.meta.dirname, 'reference_weather.py');
  const printed = execFileSync(python, [script, directory, ...names], { maxBuffer: 2 ** 30 });
  const lines = printed.toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as ReferenceVerdict);
}

/** Packing and single precision. */
const TOLERANCE = 2e-6;

/** Every value that we read has to be one that the reference reads at the same place and time. */
export function compareWithReference(
  fields: readonly MetField[],
  reference: ReferenceVerdict | undefined,
): Comparison {
  if (reference === undefined || 'refusal' in reference)
    return { verdict: 'read by us alone', message: reference?.refusal ?? 'no answer' };
  const known = cellsOf(reference.fields);
  const counts = { elsewhere: 0, different: 0, missing: 0 };
  let example = '';
  for (const field of fields) {
    eachCell(field, (key, value) => {
      const there = known.get(key);
      // Knots of a whole circle may be repeated, and those without a value are nowhere.
      if (Number.isNaN(value)) {
        if (there?.every(Number.isNaN) === false) counts.missing++;
        return;
      }
      if (there === undefined) counts.elsewhere++;
      else if (there.some((other) => isSame(value, other))) return;
      else counts.different++;
      example ||= `${key} is ${value}, there ${there?.join(' or ') ?? 'unknown'}`;
    });
  }
  if (example !== '') return { verdict: 'different', message: `${JSON.stringify(counts)}; ${example}` };
  if (counts.missing > 0) return { verdict: 'same', message: `${counts.missing} values are left out` };
  return { verdict: 'same' };
}

const isSame = (one: number, other: number): boolean =>
  one === other || Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));

const keyOf = (variable: string, timeMs: number, hpa: number, latitude: number, longitude: number): string =>
  `${variable} ${timeMs} ${hpa.toPrecision(6)} ${latitude.toFixed(3)} ${turned(longitude).toFixed(3)}`.replaceAll(
    '-0.000',
    '0.000',
  );

/** −180 ≤ x < 180. */
function turned(longitude: number): number {
  const rounded = Math.round(longitude * 1000) / 1000;
  return ((((rounded + 180) % 360) + 360) % 360) - 180;
}

function cellsOf(fields: readonly ReferenceField[]): Map<string, number[]> {
  const cells = new Map<string, number[]>();
  for (const { variable, time, level, latitude, longitude, values } of fields) {
    const bytes = Buffer.from(values, 'base64');
    let at = 0;
    for (const timeMs of time) {
      for (const hpa of level) {
        for (const parallel of latitude) {
          for (const meridian of longitude) {
            const key = keyOf(
              variable,
              timeMs ?? Number.NaN,
              hpa ?? Number.NaN,
              parallel ?? Number.NaN,
              meridian ?? Number.NaN,
            );
            const value = bytes.readDoubleLE(at);
            at += 8;
            const there = cells.get(key);
            if (there === undefined) cells.set(key, [value]);
            else there.push(value);
          }
        }
      }
    }
  }
  return cells;
}

function eachCell(field: MetField, use: (key: string, value: number) => void): void {
  const { variables, longitude, latitude, level, time, slabs } = field;
  for (const [l, slab] of slabs.entries())
    for (const [j, parallel] of latitude.knots.entries())
      for (const [i, meridian] of longitude.knots.entries())
        for (const [k, hpa] of level.knots.entries())
          for (const [v, variable] of variables.entries())
            use(
              keyOf(variable, time.knots[l] as number, hpa, parallel, meridian),
              slab[offsetOf(field, i, j, k, v)] as number,
            );
}
