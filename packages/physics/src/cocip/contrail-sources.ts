import { columnsOf } from '../numerics/reused-columns.ts';

/** Where contrails may start: waypoints of flights or cells of a grid, with their weather and aircraft. */
export interface ContrailSources {
  readonly count: number;
  /** Index of the flight a row belongs to, and of the waypoint in it. */
  readonly flight: Float64Array;
  readonly waypoint: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** Where the row stands in the weather [hPa]. */
  readonly level: Float64Array;
  /** Pressure of the air [Pa], for every formula at the row: that of the level, unless a flight brought its own. */
  readonly pressure: Float64Array;
  readonly timeMs: Float64Array;
  /** [K, kg kg⁻¹ (scaled), m s⁻¹, m s⁻¹] at the row. */
  readonly temperature: Float64Array;
  readonly humidity: Float64Array;
  readonly u: Float64Array;
  readonly v: Float64Array;
  /** Formation: criterion (1, 0, NaN), slope of the mixing line [Pa K⁻¹], T_LM [K], relative humidity over liquid. */
  readonly sac: Float64Array;
  readonly mixingSlope: Float64Array;
  readonly thresholdK: Float64Array;
  readonly rh: Float64Array;
  /** Aircraft [m s⁻¹, kg s⁻¹, kg, m, kg⁻¹] and water index of the fuel [kg kg⁻¹]. */
  readonly trueAirspeed: Float64Array;
  readonly fuelFlow: Float64Array;
  readonly aircraftMass: Float64Array;
  readonly wingspan: Float64Array;
  readonly nvpmEiN: Float64Array;
  readonly eiH2o: Float64Array;
  /** Multiplies the humidity of the weather wherever the contrail of the row goes, before any scaling; 1 unless given. */
  readonly humidityFactor?: Float64Array | undefined;
}

const COLUMNS = [
  'flight',
  'waypoint',
  'longitude',
  'latitude',
  'level',
  'pressure',
  'timeMs',
  'temperature',
  'humidity',
  'u',
  'v',
  'sac',
  'mixingSlope',
  'thresholdK',
  'rh',
  'trueAirspeed',
  'fuelFlow',
  'aircraftMass',
  'wingspan',
  'nvpmEiN',
  'eiH2o',
] as const satisfies readonly (keyof ContrailSources)[];

/** The rows of several flights in turn, and the first row of each. */
export function joinSources(parts: readonly ContrailSources[]): {
  sources: ContrailSources;
  firstRow: Uint32Array;
} {
  const firstRow = new Uint32Array(parts.length);
  let count = 0;
  parts.forEach((part, f) => {
    firstRow[f] = count;
    count += part.count;
  });
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return { sources: only, firstRow };
  const factors = parts.some(({ humidityFactor }) => humidityFactor !== undefined)
    ? { humidityFactor: new Float64Array(count).fill(1) }
    : {};
  parts.forEach(({ humidityFactor }, f) => {
    if (humidityFactor !== undefined) factors.humidityFactor?.set(humidityFactor, firstRow[f]);
  });
  const column = columnsOf(count, COLUMNS.length);
  const columns = COLUMNS.map((name) => {
    const joined = column();
    parts.forEach((part, f) => {
      joined.set(part[name], firstRow[f]);
    });
    return [name, joined] as const;
  });
  return { sources: { count, ...Object.fromEntries(columns), ...factors } as ContrailSources, firstRow };
}
