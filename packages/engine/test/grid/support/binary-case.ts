import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Met, openMet, openSource } from '@contrails/met';
import { afterAll } from 'vitest';
import { levelEvaluator } from '../../../src/grid/evaluate.ts';
import { pressureOf } from '../../../src/grid/layout.ts';
import type { BinaryModel } from '../../../src/grid/models.ts';
import type { ChosenScaling } from '../../../src/weather/humidity-scaling.ts';

/** A case of the reference; flags are level by level, longitude by longitude, `?` where they are unknown. */
export interface BinaryCase extends Readonly<Record<BinaryModel, string>> {
  readonly name: string;
  readonly met: string;
  readonly time: string;
  readonly lon: readonly number[];
  readonly lat: readonly number[];
  readonly flight_levels: readonly number[];
  readonly humidity_scaling: { readonly name: ChosenScaling['name']; readonly rhi_adj?: number } | null;
  readonly engine_efficiency: number;
  readonly q_method?: 'cubic-spline';
}

const folder = new URL('../reference/', import.meta.url);

export function readBinaryCases(): BinaryCase[] {
  return JSON.parse(readFileSync(new URL('binary-cases.json', folder), 'utf8'));
}

/** Real weather of the reference, through the source that reads netCDF files. */
export async function openReferenceMet(name: string): Promise<Met> {
  const source = await openSource({
    name,
    kind: 'netcdf',
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    paths: [`${name}.nc`],
    directory: fileURLToPath(folder),
  });
  const met = openMet({ sources: [source], memoryBytes: 64 * 2 ** 20, threads: 1 });
  afterAll(() => met.close());
  return met;
}

/** Flags of a case as the reference writes them. */
export async function evaluateCase(met: Met, one: BinaryCase, model: BinaryModel): Promise<string> {
  const timeMs = Date.parse(`${one.time}Z`);
  const ends = (values: readonly number[]) => [values[0] as number, values.at(-1) as number] as const;
  const [lowest, highest] = ends(one.flight_levels);
  const { levels: weather, release } = await met.openWeather({
    for: 'air',
    partial: true,
    time: [timeMs, timeMs],
    level: [pressureOf(highest), pressureOf(lowest)],
    latitude: ends(one.lat),
    longitude: ends(one.lon),
  });
  const evaluate = levelEvaluator({
    model,
    weather,
    longitude: Float64Array.from(one.lon),
    latitude: Float64Array.from(one.lat),
    timeMs,
    scaling: scalingOf(one),
    engineEfficiency: one.engine_efficiency,
    ...(one.q_method === undefined ? {} : { humidityMethod: one.q_method }),
  });
  const flags = one.flight_levels.map((level) =>
    Array.from(evaluate(level), (value) => (Number.isNaN(value) ? '?' : String(value))).join(''),
  );
  release();
  return flags.join('');
}

function scalingOf({ humidity_scaling, q_method }: BinaryCase): ChosenScaling {
  if (humidity_scaling === null) return { name: 'none', options: {} };
  const { name, rhi_adj } = humidity_scaling;
  return {
    name,
    options: {
      ...(rhi_adj === undefined ? {} : { rhiAdj: rhi_adj }),
      ...(q_method === undefined ? {} : { qMethod: q_method }),
    },
  };
}
