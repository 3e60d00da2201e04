import { fluxPerUnit, radiationTimesMs } from '@contrails/physics/atmosphere';
import type { RadiationPair } from '@contrails/physics/cocip';
import h5wasm, { type Dataset } from 'h5wasm/node';
import { fillCirrus } from '../../src/field/cirrus.ts';
import { allocateField, type FieldValues, type MetField, offsetOf } from '../../src/field/field.ts';
import { fieldLongitudes, planLongitudes } from '../../src/field/longitudes.ts';
import type { RadiationField } from '../../src/interpolate/radiation-sampler.ts';
import { WEATHER_VARIABLES } from '../../src/interpolate/weather.ts';
import { findVariable } from '../../src/variables.ts';

/** Whether outermost meridians are repeated; `region` leaves what lies between the ends of a region unknown, as sources do. */
type Wrap = boolean | 'region';

/** Small weather files of the reference, read whole: dimensions longitude, latitude, level, time. */
export async function readReferenceLevels(path: string, wrap: Wrap): Promise<MetField> {
  const raw = await readRaw(path);
  const names = [...WEATHER_VARIABLES, 'specific_cloud_ice_water_content'] as string[];
  for (const optional of ['geopotential', 'geopotential_height'])
    if (raw.variables.has(optional)) names.push(optional);
  const field = toField(raw, names, wrap, raw.timeMs);
  fillCirrus(field);
  return field;
}

const FAMILIES: readonly [string, string, RadiationPair][] = [
  ['toa_net_downward_shortwave_flux', 'toa_outgoing_longwave_flux', 'net-and-outgoing'],
  ['toa_upward_shortwave_flux', 'toa_upward_longwave_flux', 'upward'],
  ['top_net_solar_radiation', 'top_net_thermal_radiation', 'net'],
];

export async function readReferenceRadiation(path: string, wrap: Wrap): Promise<RadiationField> {
  const raw = await readRaw(path);
  const found = FAMILIES.find(([shortwave]) => raw.variables.has(shortwave));
  if (found === undefined) throw new Error(`${path} has no radiation`);
  const [shortwave, longwave, pair] = found;
  const accumulation = raw.provider === 'ECMWF' ? 'past-hour' : 'none';
  const unit = raw.variables.get(shortwave)?.unit ?? '';
  return {
    field: toField(raw, [shortwave, longwave], wrap, radiationTimesMs(accumulation, raw.timeMs)),
    pair,
    fluxPerUnit: accumulation === 'none' ? 1 : fluxPerUnit(unit, accumulation),
  };
}

interface RawFile {
  readonly provider: string;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly level: Float64Array;
  readonly timeMs: Float64Array;
  readonly variables: Map<string, { readonly values: Float32Array; readonly unit: string }>;
}

async function readRaw(path: string): Promise<RawFile> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'r');
  const numbers = (key: string) =>
    Float64Array.from((file.get(key) as Dataset).value as ArrayLike<number | bigint>, Number);
  const variables: RawFile['variables'] = new Map();
  for (const key of file.keys()) {
    const definition = findVariable(key);
    if (definition === undefined) continue;
    const dataset = file.get(key) as Dataset;
    variables.set(definition.name, {
      values: dataset.value as Float32Array,
      unit: String(dataset.attrs.units?.value ?? ''),
    });
  }
  const raw = {
    provider: String(file.attrs.provider?.value ?? ''),
    longitude: numbers('longitude'),
    latitude: numbers('latitude'),
    level: numbers('level'),
    timeMs: numbers('time').map((seconds) => seconds * 1000),
    variables,
  };
  file.close();
  return raw;
}

function toField(raw: RawFile, names: readonly string[], wrap: Wrap, timeMs: Float64Array): MetField {
  const plan = wrap === 'region' ? planRegion(raw.longitude) : planLongitudes(raw.longitude, wrap);
  const axes = { longitude: plan.longitudes, latitude: raw.latitude, level: raw.level, time: timeMs };
  const field = allocateField(names, axes, 'float64');
  const [nLat, nLevel, nTime] = [raw.latitude.length, raw.level.length, raw.timeMs.length];
  names.forEach((name, v) => {
    const values = raw.variables.get(name)?.values;
    if (values === undefined) return;
    plan.sourceColumns.forEach((column, i) => {
      for (let j = 0; j < nLat; j++) {
        for (let k = 0; k < nLevel; k++) {
          for (let l = 0; l < nTime; l++) {
            const value = values[((column * nLat + j) * nLevel + k) * nTime + l] ?? Number.NaN;
            (field.slabs[l] as FieldValues)[offsetOf(field, i, j, k, v)] = value;
          }
        }
      }
    });
  });
  return field;
}

function planRegion(source: Float64Array): { longitudes: Float64Array; sourceColumns: readonly number[] } {
  const longitudes = fieldLongitudes(source);
  const turned = (a: number, b: number) => Math.abs(((a - b + 540) % 360) - 180);
  const columnOf = (knot: number) => source.findIndex((longitude) => turned(longitude, knot) < 1e-4);
  // A knot without values has the column −1, under which nothing is found.
  return { longitudes, sourceColumns: Array.from(longitudes, columnOf) };
}
