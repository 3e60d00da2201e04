/**
 * What estimated radiation does to energy forcing: the reference cases of CoCiP with their own radiation, and with the errors that
 * the estimate has. These are means over three hours instead of an hour, errors of the fit that are independent from cell to cell
 * and interval to interval, and the same error everywhere.
 *
 * BENCH_DRAWS is the number of random samples.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cosSolarZenith, solarDirectRadiation } from '@contrails/physics/atmosphere';
import { HOUR_MS } from '@contrails/runtime';
import { allocateField, type FieldValues, type MetField, offsetOf } from '../packages/met/src/field/field.ts';
import type { RadiationField } from '../packages/met/src/interpolate/radiation-sampler.ts';
import { prepareCase } from '../packages/met/test/support/cocip-case.ts';
import { repositoryRoot } from '../test/support/tools.ts';

const DRAWS = Number(process.env.BENCH_DRAWS ?? 10);
const INTERVAL_H = 3;
/** Rms of the fit by the cosine of the zenith angle: up to which it holds, and [W m⁻²]. */
const FIT_ERRORS = [
  [0.1, 3.6],
  [0.25, 5.7],
  [0.5, 7.9],
  [0.75, 10.6],
  [1, 14.4],
] as const;
const [MIN_ALBEDO, MAX_ALBEDO, NO_SUN_ALBEDO] = [0.02, 0.95, 0.5];
const MIN_INCOMING = 20;

/** Error of the albedo at a point of a grid and an interval. */
type AlbedoError = (longitude: number, latitude: number, timeMs: number) => number;

const folders = ['packages/met/test/reference/cocip/cases', '../shared/reference/cocip/cases'].flatMap(
  (path) => {
    try {
      return readdirSync(join(repositoryRoot, path)).map((name) => join(repositoryRoot, path, name));
    } catch {
      return [];
    }
  },
);
const cases = new Map(folders.map((folder) => [folder.split('/').at(-1) ?? '', folder]));

const rows: Record<string, string | number>[] = [];
for (const [name, folder] of [...cases].sort()) {
  const forcing = async (alter?: (radiation: RadiationField) => RadiationField) => {
    const run = await prepareCase(pathToFileURL(`${folder}/`), {
      forcing: 'double',
      performance: 'given',
      windows: 'none',
      ...(alter === undefined ? {} : { alter }),
    });
    return run().contrails.energyForcing.filter((joule) => !Number.isNaN(joule));
  };
  const own = await forcing();
  const absolute = own.reduce((sum, joule) => sum + Math.abs(joule), 0);
  if (absolute === 0) continue;
  const change = (other: Float64Array) =>
    (100 * other.reduce((sum, joule, k) => sum + joule - (own[k] as number), 0)) / absolute;
  const shift = async (by: number) => change(await forcing((radiation) => asAlbedo(radiation, () => by)));
  const interval = await shift(0);
  const draws: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++) {
    draws.push(change(await forcing((radiation) => asAlbedo(radiation, fitError(draw)))) - interval);
  }
  const rms = Math.sqrt(draws.reduce((sum, one) => sum + one * one, 0) / draws.length);
  rows.push({
    case: name,
    'three hours, %': round(interval),
    'independent errors, rms %': round(rms),
    '+0.0135 everywhere, %': round((await shift(0.0135)) - interval),
    '+0.02, %': round((await shift(0.02)) - interval),
    '-0.02, %': round((await shift(-0.02)) - interval),
  });
}
console.table(rows);

function round(value: number): number {
  return Math.round(10 * value) / 10;
}

/** Radiation as the estimate would have it: albedos and longwave means of intervals, dated in their middles, constant at both ends. */
function asAlbedo({ field, pair, fluxPerUnit }: RadiationField, error: AlbedoError): RadiationField {
  const { longitude, latitude, time } = field;
  const groups = Map.groupBy(time.knots.keys(), (l) =>
    Math.floor((time.knots[l] as number) / (INTERVAL_H * HOUR_MS)),
  );
  const middles = [...groups.values()].map(
    (steps) => steps.reduce((sum, l) => sum + (time.knots[l] as number), 0) / steps.length,
  );
  const ends = [
    Math.min(time.knots[0] as number, middles[0] as number) - HOUR_MS,
    (time.knots.at(-1) as number) + HOUR_MS,
  ];
  const made = allocateField(
    ['albedo', 'olr'],
    {
      longitude: longitude.knots,
      latitude: latitude.knots,
      level: field.level.knots,
      time: [ends[0] as number, ...middles, ends[1] as number],
    },
    'float64',
  );
  [...groups.values()].forEach((steps, g) => {
    const slab = made.slabs[g + 1] as FieldValues;
    eachPoint(field, (lon, lat, i, j) => {
      let [incoming, reflected, longwave] = [0, 0, 0];
      for (const l of steps) {
        const sun = meanIncoming(lon, lat, time.knots[l] as number);
        const value = (v: number) =>
          ((field.slabs[l] as FieldValues)[offsetOf(field, i, j, 0, v)] as number) * fluxPerUnit;
        incoming += sun / steps.length;
        reflected += (pair === 'upward' ? value(0) : Math.max(sun - value(0), 0)) / steps.length;
        longwave += (pair === 'net' ? -value(1) : value(1)) / steps.length;
      }
      slab[offsetOf(made, i, j, 0, 0)] = incoming < MIN_INCOMING ? Number.NaN : reflected / incoming;
      slab[offsetOf(made, i, j, 0, 1)] = longwave;
    });
  });
  eachPoint(field, (lon, lat, i, j) => {
    const at = offsetOf(made, i, j, 0, 0);
    const albedos = middles.map((_, g) => (made.slabs[g + 1] as FieldValues)[at] as number);
    middles.forEach((middle, g) => {
      const distance = (other: number) => Math.abs((middles[other] as number) - middle);
      const lit = [...albedos.keys()].filter((other) => !Number.isNaN(albedos[other]));
      const [nearest] = lit.sort((one, other) => distance(one) - distance(other) || other - one);
      const albedo = nearest === undefined ? NO_SUN_ALBEDO : (albedos[nearest] as number);
      const wrong = albedo + error(lon, lat, middles[nearest ?? g] as number);
      (made.slabs[g + 1] as FieldValues)[at] = Math.min(Math.max(wrong, MIN_ALBEDO), MAX_ALBEDO);
    });
  });
  (made.slabs[0] as Float64Array).set(made.slabs[1] as Float64Array);
  (made.slabs.at(-1) as Float64Array).set(made.slabs.at(-2) as Float64Array);
  return { field: made, pair: 'albedo', fluxPerUnit: 1 };
}

function eachPoint(field: MetField, visit: (lon: number, lat: number, i: number, j: number) => void): void {
  for (const [i, lon] of field.longitude.knots.entries()) {
    for (const [j, lat] of field.latitude.knots.entries()) visit(lon, lat, i, j);
  }
}

/** Over the hour around a time [W m⁻²]. */
function meanIncoming(lon: number, lat: number, timeMs: number): number {
  const parts = Array.from({ length: 12 }, (_, k) => timeMs + ((k + 0.5) / 12 - 0.5) * HOUR_MS);
  return parts.reduce((sum, ms) => sum + solarDirectRadiation(lon, lat, ms), 0) / parts.length;
}

/** Errors of the fit, normal, the same for the same draw. */
function fitError(draw: number): AlbedoError {
  return (lon, lat, timeMs) => {
    const mu = cosSolarZenith(lon, lat, timeMs);
    const [, rms] = FIT_ERRORS.find(([to]) => mu <= to) ?? FIT_ERRORS[0];
    if (mu < 0.05) return 0;
    const [u, v] = [hash(lon, lat, timeMs, 2 * draw), hash(lon, lat, timeMs, 2 * draw + 1)];
    const normal = Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);
    return (normal * rms) / solarDirectRadiation(lon, lat, timeMs);
  };
}

/** A number from 0 to 1 of a place, a time and a draw. */
function hash(...parts: readonly number[]): number {
  let state = 0x811c9dc5;
  for (const part of parts) {
    state = Math.imul(state ^ Math.round(part * 1000), 0x01000193);
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state ^= state >>> 13;
  }
  return (state >>> 0) / 2 ** 32;
}
