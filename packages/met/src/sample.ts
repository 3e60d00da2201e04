/** What the models see at one point. */
import {
  outgoingLongwaveRadiation,
  reflectedSolarRadiation,
  solarDirectRadiation,
} from '@contrails/physics/atmosphere';
import { GRAVITY_M_S2 } from '@contrails/physics/common';
import { missingVariables } from './catalogue/needed-variables.ts';
import { sampleInto } from './interpolate/interpolate.ts';
import { estimatedAfter } from './interpolate/radiation-sampler.ts';
import type { Met, OpenWeather } from './met.ts';
import type { WeatherRequest } from './request.ts';

export interface SampleRequest {
  readonly source: string;
  /** Start of the forecast; the newest that covers the time unless given [ms since 1970]. */
  readonly referenceTime?: number;
  readonly timeMs: number;
  /** [°] */
  readonly longitude: number;
  readonly latitude: number;
  /** [hPa] */
  readonly level: number;
}

export interface PointSample {
  readonly referenceTime?: number;
  /** By name; null where the source has no value. Humidity is not scaled. */
  readonly values: Readonly<Record<string, number | null>>;
  readonly radiation: 'estimated' | 'means' | 'none';
  /** Name of the source that radiation is from, null without any. */
  readonly radiationSource: string | null;
}

/** Names of the answer, and the variables that they are. */
const ON_LEVELS = {
  air_temperature: 'air_temperature',
  specific_humidity: 'specific_humidity',
  eastward_wind: 'eastward_wind',
  northward_wind: 'northward_wind',
  vertical_velocity: 'lagrangian_tendency_of_air_pressure',
  geopotential: 'geopotential',
  specific_cloud_ice_water_content: 'specific_cloud_ice_water_content',
} as const;
const HEIGHT = 'geopotential_height';
/** The sun counts as risen from this cosine of the zenith angle on. */
const SUNRISE_COSINE = 0.01;

/** Reads and interpolates the weather at a point. */
export async function samplePoint(
  met: Met,
  request: SampleRequest,
  signal?: AbortSignal,
): Promise<PointSample> {
  const { longitude, latitude, level, timeMs, source, referenceTime: asked } = request;
  const at: WeatherRequest = {
    source,
    ...(asked === undefined ? {} : { referenceTime: asked }),
    for: 'formation',
    time: [timeMs, timeMs],
    level: [level, level],
    latitude: [latitude, latitude],
    longitude: [longitude, longitude],
  };
  const choice = await met.catalogue.choose(at);
  const { description, run } = choice;
  const { referenceTime } = run;
  const inRun = referenceTime === undefined ? {} : { referenceTime };
  const held = [...Object.values(ON_LEVELS), HEIGHT].filter((name) => description.variables.includes(name));
  const field = await choice.source.read(
    { ...at, ...inRun, variables: held, time: [timeMs, timeMs] },
    { description, ...(signal === undefined ? {} : { signal }) },
  );
  const point = {
    longitude: Float64Array.of(longitude),
    latitude: Float64Array.of(latitude),
    level: Float64Array.of(level),
    timeMs: Float64Array.of(timeMs),
  };
  const columns = held.map(() => new Float64Array(1));
  sampleInto(columns, field, 0, point, 1);
  const value = (name: string) => columns[held.indexOf(name)]?.[0] ?? Number.NaN;
  const height = value(HEIGHT);
  const values = Object.entries(ON_LEVELS).map(([shown, name]): [string, number] => [
    shown,
    name === 'geopotential' && !held.includes(name) ? height * GRAVITY_M_S2 : value(name),
  ]);
  const sdr = solarDirectRadiation(longitude, latitude, timeMs, SUNRISE_COSINE);
  const isDark = missingVariables(description, 'contrails').length > 0;
  const weather = isDark
    ? undefined
    : await met.openWeather({ ...at, ...inRun, for: 'contrails' }, signal === undefined ? {} : { signal });
  try {
    const { rsr, olr } = weather === undefined ? NO_RADIATION : radiationAt(weather.weather, point, sdr);
    return {
      ...inRun,
      values: Object.fromEntries(
        [...values, ['sdr', sdr] as const, ['rsr', rsr] as const, ['olr', olr] as const].map(
          ([name, number]) => [name, Number.isFinite(number) ? number : null],
        ),
      ),
      ...originOfRadiation(weather, timeMs),
    };
  } finally {
    weather?.release();
  }
}

const NO_RADIATION = { rsr: Number.NaN, olr: Number.NaN };

function radiationAt(
  weather: OpenWeather['weather'],
  point: Parameters<OpenWeather['weather']['sample']>[1],
  sdr: number,
): { readonly rsr: number; readonly olr: number } {
  const [shortwave, longwave] = [new Float64Array(1), new Float64Array(1)];
  weather.sampleRadiation(shortwave, longwave, point, 1);
  const [sw = Number.NaN, lw = Number.NaN] = [shortwave[0], longwave[0]];
  switch (weather.radiationPair) {
    case 'net':
      return { rsr: reflectedSolarRadiation(sdr, sw), olr: outgoingLongwaveRadiation(lw) };
    case 'net-and-outgoing':
      return { rsr: reflectedSolarRadiation(sdr, sw), olr: lw };
    case 'upward':
      return { rsr: sw, olr: lw };
    case 'albedo':
      return { rsr: sw * sdr, olr: Math.max(lw, 0) };
  }
}

function originOfRadiation(
  weather: OpenWeather | undefined,
  timeMs: number,
): Pick<PointSample, 'radiation' | 'radiationSource'> {
  if (weather === undefined) return { radiation: 'none', radiationSource: null };
  const { origin, radiation } = weather;
  const afterMs = radiation && estimatedAfter(radiation);
  const isEstimated = afterMs !== undefined && timeMs > afterMs;
  const isOwn = isEstimated || origin.radiation === 'own';
  return {
    radiation: isEstimated ? 'estimated' : 'means',
    radiationSource: isOwn ? origin.name : (origin.radiation?.split(' ')[0] ?? null),
  };
}
