import type { AirframeReports } from '../../src/index.ts';
import { TELEMETRY_COLUMNS } from '../../src/telemetry/columns.ts';

type Given = { readonly [N in keyof AirframeReports]?: ArrayLike<unknown> } & {
  readonly timestamp: Float64Array;
};

const NUMBERS: readonly string[] = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'departure_scheduled_time',
  'arrival_scheduled_time',
  'nic',
  'nacp',
];

/** Reports of one airframe with these columns; all others are unknown. */
export function reportsWith(given: Given): AirframeReports {
  const count = given.timestamp.length;
  const columns = TELEMETRY_COLUMNS.map((name) => [name, given[name] ?? unknown(name, count)]);
  return {
    ...Object.fromEntries(columns),
    ...(given.onGround && { onGround: given.onGround }),
    ...(given.legFlag && { legFlag: given.legFlag }),
  };
}

function unknown(name: string, count: number): ArrayLike<unknown> {
  if (NUMBERS.includes(name)) return new Float64Array(count).fill(Number.NaN);
  if (name === 'icao_address') return new Array<string>(count).fill('40095D');
  if (name === 'collection_type') return new Array<string>(count).fill('terrestrial');
  return new Array<null>(count).fill(null);
}
