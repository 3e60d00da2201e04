import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MetField, type MetSource, type OpenWeather, openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';

const SURFACE = ['top_net_solar_radiation', 'top_net_thermal_radiation'];
const LEVELS = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
  'specific_cloud_ice_water_content',
  'geopotential',
];
const MEMORY_BYTES = 4 * 2 ** 30;

/** The same synthetic weather in memory for us and as files for the peer, values and axes alike. */
export async function prepareWeather(
  folder: string,
  resolutionDeg: number,
  time: readonly [firstMs: number, lastMs: number],
): Promise<OpenWeather & { close(): Promise<void> }> {
  const source = openSynthetic({ name: 'synthetic', resolutionDeg });
  const world = { time, level: [100, 850], latitude: [-90, 90], longitude: [-180, 180] } as const;
  await writeWeather(folder, source, world);
  const met = openMet({ sources: [source], memoryBytes: MEMORY_BYTES });
  const weather = await met.openWeather({ ...world, for: 'contrails' });
  return {
    ...weather,
    async close() {
      weather.release();
      await met.close();
    },
  };
}

/** Writes the weather of a window as the peer reads it. */
export async function writeWeather(
  folder: string,
  source: MetSource,
  window: Omit<Parameters<MetSource['read']>[0], 'variables'>,
): Promise<void> {
  for (const [name, variables] of Object.entries({ levels: LEVELS, radiation: SURFACE })) {
    writeField(folder, name, await source.read({ ...window, variables }));
  }
}

/** Single precision [time][latitude][longitude][level][variable], with its axes alongside. */
function writeField(folder: string, name: string, field: MetField): void {
  const { variables, longitude, latitude, level, time } = field;
  const axes = { longitude, latitude, level, time };
  const knots = Object.entries(axes).map(([axis, { knots }]) => [axis, [...knots]]);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ variables, ...Object.fromEntries(knots) }));
  const bytes = field.slabs.map((slab) => Buffer.from(slab.buffer, slab.byteOffset, slab.byteLength));
  writeFileSync(join(folder, `${name}.bin`), Buffer.concat(bytes));
}
