/**
 * The synthetic atmosphere: the weather of any place, height and time in closed form. A column of air is a
 * troposphere and a stratosphere that meet in a rounded tropopause; climate and weather systems bend it, and
 * hydrostatic and geostrophic balance give geopotential and wind. Moist layers lie in it, and the sun shines on it.
 */

import { type MetField, offsetOf } from '@contrails/met/own-source';
import { GAS_CONSTANT_DRY } from '@contrails/physics/common';
import * as runtime from '@contrails/runtime';
import { balanceLevel, makeLevelRow } from './balance.ts';
import { season } from './climate.ts';
import { bendColumns, makeColumns } from './columns.ts';
import {
  cloudIce,
  liftPerWind,
  meanLift,
  meanMoisture,
  moistureOf,
  pressureVelocity,
  specificHumidity,
} from './humidity.ts';
import { makeMoisture, makeMoistureRows } from './moisture.ts';
import { seededRandom } from './random.ts';
import { cloudCover, incomingSolar, outgoingLongwave, planetaryAlbedo, sunAt } from './sun.ts';
import { makeSystems, SYSTEM_WAVENUMBERS } from './systems.ts';
import { makeCircle, type Wave } from './waves.ts';

export const LEVEL_VARIABLES = [
  'air_temperature',
  'specific_humidity',
  'eastward_wind',
  'northward_wind',
  'lagrangian_tendency_of_air_pressure',
  'specific_cloud_ice_water_content',
  'geopotential',
] as const;

export const SURFACE_VARIABLES = [
  'surface_pressure',
  'top_net_solar_radiation',
  'top_net_thermal_radiation',
] as const;

export interface Atmosphere {
  readonly systems: readonly Wave[];
  readonly moisture: readonly Wave[];
}

export function makeAtmosphere(seed: number): Atmosphere {
  const random = seededRandom(seed);
  return { systems: makeSystems(random), moisture: makeMoisture(random) };
}

/** A part of a field to be filled; plain data for a thread. */
export interface FillRequest {
  readonly seed: number;
  readonly slice: MetField;
  readonly withLevels: boolean;
  readonly known: Uint8Array;
}

const atmospheres = new Map<number, Atmosphere>();

export function fill({ seed, slice, withLevels, known }: FillRequest): void {
  const atmosphere = atmospheres.get(seed) ?? makeAtmosphere(seed);
  atmospheres.set(seed, atmosphere);
  if (withLevels) fillLevels(atmosphere, slice, known);
  else fillSurface(atmosphere, slice, known);
}

const { DAY_MS } = runtime;
/** Where clouds that count for radiation are looked for, in log-pressure height (330 hPa). */
const CLOUD_HEIGHT = 1.1;

/** Fills a field with levels, but for the meridians that are not `known`. */
export function fillLevels(atmosphere: Atmosphere, field: MetField, known: Uint8Array): void {
  const { longitude, latitude, level } = field;
  const at = (name: (typeof LEVEL_VARIABLES)[number]) => field.variables.indexOf(name);
  const temperature = at('air_temperature');
  const humidity = at('specific_humidity');
  const eastward = at('eastward_wind');
  const northward = at('northward_wind');
  const vertical = at('lagrangian_tendency_of_air_pressure');
  const ice = at('specific_cloud_ice_water_content');
  const geopotential = at('geopotential');
  const hasWater = humidity >= 0 || ice >= 0;
  const hasWind = hasWater || eastward >= 0 || northward >= 0 || vertical >= 0;
  const rows = makeRows(atmosphere, longitude.knots);
  const { columns, moisture } = rows;
  const air = makeLevelRow(longitude.knots.length);
  const stride = level.knots.length * field.variables.length;

  field.slabs.forEach((slab, l) => {
    for (let j = 0; j < latitude.knots.length; j++) {
      const parallel = latitude.knots[j] as number;
      const mean = rows.moveTo(parallel, field.time.knots[l] as number);
      for (let k = 0; k < level.knots.length; k++) {
        const pressurePa = 100 * (level.knots[k] as number);
        const height = Math.log(100_000 / pressurePa);
        balanceLevel(air, columns, parallel, height, hasWind);
        if (hasWater) rows.moistenAt(height);
        let to = offsetOf(field, 0, j, k, 0);
        for (let i = 0; i < known.length; i++, to += stride) {
          if (known[i] === 0) continue;
          const kelvin = air.temperature[i] as number;
          const top = columns.tropopause.value[i] as number;
          const lift = mean.lift + mean.liftPerWind * (air.northwardWind[i] as number);
          if (temperature >= 0) slab[to + temperature] = kelvin;
          if (eastward >= 0) slab[to + eastward] = air.eastwardWind[i] as number;
          if (northward >= 0) slab[to + northward] = air.northwardWind[i] as number;
          if (vertical >= 0) slab[to + vertical] = pressureVelocity(lift, height, top);
          if (geopotential >= 0) slab[to + geopotential] = air.geopotential[i] as number;
          if (!hasWater) continue;
          const wet = moistureOf(mean.moisture, moisture[i] as number, lift);
          const q = specificHumidity(wet, moisture[i] as number, kelvin, pressurePa, top - height);
          if (humidity >= 0) slab[to + humidity] = q;
          if (ice >= 0) slab[to + ice] = cloudIce(q, kelvin, pressurePa);
        }
      }
    }
  });
}

/** The same for a field without levels. */
export function fillSurface(atmosphere: Atmosphere, field: MetField, known: Uint8Array): void {
  const { longitude, latitude } = field;
  const at = (name: (typeof SURFACE_VARIABLES)[number]) => field.variables.indexOf(name);
  const pressure = at('surface_pressure');
  const solar = at('top_net_solar_radiation');
  const thermal = at('top_net_thermal_radiation');
  const rows = makeRows(atmosphere, longitude.knots);
  const { columns, moisture } = rows;
  const [ground, aloft] = [makeLevelRow(known.length), makeLevelRow(known.length)];

  field.slabs.forEach((slab, l) => {
    const timeMs = field.time.knots[l] as number;
    const sun = sunAt(timeMs);
    for (let j = 0; j < latitude.knots.length; j++) {
      const parallel = latitude.knots[j] as number;
      const mean = rows.moveTo(parallel, timeMs);
      balanceLevel(ground, columns, parallel, 0, false);
      balanceLevel(aloft, columns, parallel, CLOUD_HEIGHT, true);
      rows.moistenAt(CLOUD_HEIGHT);
      for (let i = 0; i < known.length; i++) {
        if (known[i] === 0) continue;
        const to = offsetOf(field, i, j, 0, 0);
        const kelvin = ground.temperature[i] as number;
        const lift = mean.lift + mean.liftPerWind * (aloft.northwardWind[i] as number);
        const cover = cloudCover(moistureOf(0, moisture[i] as number, lift), parallel);
        const incoming = incomingSolar(sun, longitude.knots[i] as number, parallel);
        if (pressure >= 0) {
          const geopotential = columns.surfaceGeopotential.value[i] as number;
          slab[to + pressure] = 100_000 * Math.exp(geopotential / (GAS_CONSTANT_DRY * kelvin));
        }
        if (solar >= 0) slab[to + solar] = incoming * (1 - planetaryAlbedo(cover, parallel));
        if (thermal >= 0) slab[to + thermal] = -outgoingLongwave(kelvin, cover);
      }
    }
  });
}

/** What both fields need of one circle of latitude after the other. */
function makeRows({ systems, moisture: waves }: Atmosphere, longitudesDeg: Float64Array) {
  const systemCircle = makeCircle(longitudesDeg, SYSTEM_WAVENUMBERS);
  const moistureRows = makeMoistureRows(waves, longitudesDeg);
  const columns = makeColumns(longitudesDeg.length);
  const moisture = new Float64Array(longitudesDeg.length);
  return {
    columns,
    moisture,
    moveTo(latitude: number, timeMs: number) {
      const days = timeMs / DAY_MS;
      moistureRows.moveTo(latitude, days);
      const summer = season(timeMs);
      bendColumns(columns, systemCircle, systems, latitude, days, summer);
      return {
        lift: meanLift(latitude, summer),
        liftPerWind: liftPerWind(latitude),
        moisture: meanMoisture(latitude),
      };
    },
    moistenAt: (height: number) => moistureRows.readInto(moisture, height),
  };
}
