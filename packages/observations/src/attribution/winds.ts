/** Wind, vertical motion and temperature at points, as contrails drift with them. */
import { type MetField, type SamplePoints, sampleInto } from '@contrails/met';
import { UsageError } from '@contrails/runtime';

/** Weather at points, one column each; NaN outside the data. */
export interface WindColumns {
  /** [m s⁻¹] */
  readonly eastward: Float64Array;
  readonly northward: Float64Array;
  /** Pressure velocity [Pa s⁻¹]. */
  readonly omega: Float64Array;
  /** [K] */
  readonly temperature: Float64Array;
}

export interface Winds {
  sample(out: WindColumns, points: SamplePoints, count: number): void;
}

/** Variables that a field of winds has, in any order and among others. */
export const WIND_VARIABLES = [
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
  'air_temperature',
] as const;

export function windsOf(field: MetField): Winds {
  const [eastward, northward, omega, temperature] = WIND_VARIABLES.map((name) => {
    const index = field.variables.indexOf(name);
    if (index < 0) {
      throw new UsageError(`the weather has no ${name}; contrails drift with ${WIND_VARIABLES.join(', ')}`);
    }
    return index;
  }) as [number, number, number, number];
  const indices = [eastward, northward, omega, temperature];
  const first = Math.min(...indices);
  const span = Math.max(...indices) - first + 1;
  let scratch: Float64Array[] = [];
  return {
    sample(out, points, count) {
      if (span > indices.length && (scratch[0]?.length ?? 0) < count) {
        scratch = Array.from({ length: span }, () => new Float64Array(count));
      }
      const columns = Array.from({ length: span }, (_, k) => scratch[k] ?? new Float64Array(0));
      columns[eastward - first] = out.eastward;
      columns[northward - first] = out.northward;
      columns[omega - first] = out.omega;
      columns[temperature - first] = out.temperature;
      sampleInto(columns, field, first, points, count);
    },
  };
}

export function makeWindColumns(length: number): WindColumns {
  return {
    eastward: new Float64Array(length),
    northward: new Float64Array(length),
    omega: new Float64Array(length),
    temperature: new Float64Array(length),
  };
}
