/** What the weather of the demonstration is like, measured with the models that the service runs. */

import { type Compute, openCompute } from '@contrails/engine/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { runTrajectories } from '@contrails/engine/flights/run';
import { type Met, type MetSource, openMet } from '@contrails/met';
import { levelFromAltitudeFt, solarDirectRadiation } from '@contrails/physics/atmosphere';
import { humidityScalingByName } from '@contrails/physics/humidity-scaling';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { seededRandom } from '@contrails/testbed/weather/random';
import { sampleInto } from '../../packages/met/src/interpolate/interpolate.ts';
import { sharedFloat64, sharedUint32 } from '../../packages/runtime/src/index.ts';
import { ROUTES, type Route } from './routes.ts';

export interface ClimateSample {
  /** Start of days [ms since 1970]. */
  readonly days: readonly number[];
  /** How often each route is flown on each of them. */
  readonly flightsPerRoute: number;
  readonly resolutionDeg: number;
}

export const LATITUDE_BANDS = [
  [-90, -60],
  [-60, -30],
  [-30, 30],
  [30, 60],
  [60, 90],
] as const;
export const FLIGHT_LEVELS = [270, 300, 330, 360, 390, 420, 440] as const;

export interface DemoClimate {
  /** Share of the area that is ice-supersaturated: flight levels of each latitude band. */
  readonly issr: readonly (readonly number[])[];
  /** The same over the whole earth and all levels. */
  readonly issrMean: number;
  /** Share of the flown distance that leaves a persistent contrail. */
  readonly persistentShare: number;
  readonly lifetimeHours: { readonly mean: number; readonly median: number };
  /** Share of the persistent contrails that are still there after twelve hours, where the model ends. */
  readonly shareAtCap: number;
  readonly day: Forcing;
  readonly night: Forcing;
}

/** Of contrails that formed by day or by night. */
export interface Forcing {
  /** Energy forcing per length of persistent contrail [J m⁻¹]. */
  readonly energyForcingPerMetre: number;
  /** Share of the length whose contrail cools. */
  readonly coolingShare: number;
}

/** Flights that start within these hours see one window of weather. */
const HOURS_PER_FLEET = 6;
const GIB = 2 ** 30;

export async function measureDemoClimate(sample: ClimateSample): Promise<DemoClimate> {
  const { resolutionDeg } = sample;
  const source = openSynthetic({ name: 'demo', resolutionDeg, now: () => Date.UTC(2100, 0) });
  const met = openMet({ sources: [source], memoryBytes: 3 * GIB });
  const compute = openCompute({ threads: 2, maxQueue: 10 });
  try {
    const segments: Segment[] = [];
    for (const day of sample.days) segments.push(...(await flyOn(day, sample.flightsPerRoute, met, compute)));
    return { ...(await issrOf(source, sample.days)), ...summaryOf(segments) };
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
}

interface Segment {
  readonly metres: number;
  readonly ageMinutes: number;
  readonly joule: number;
  readonly isDay: boolean;
}

async function flyOn(day: number, flightsPerRoute: number, met: Met, compute: Compute): Promise<Segment[]> {
  const random = seededRandom(day / HOUR_MS);
  const flights = Array.from({ length: flightsPerRoute }, () => ROUTES)
    .flat()
    .map((route) => ({ route, hour: 24 * random(), highness: random() }));
  const segments: Segment[] = [];
  for (let hour = 0; hour < 24; hour += HOURS_PER_FLEET) {
    const fleet = fleetOf(
      flights.filter((flight) => Math.floor(flight.hour / HOURS_PER_FLEET) * HOURS_PER_FLEET === hour),
      day,
    );
    if (fleet.attributes.length === 0) continue;
    const weather = await met.openWeather({
      for: 'contrails',
      time: [
        fleet.columns.timeMs.reduce((a, b) => Math.min(a, b)),
        fleet.columns.timeMs.reduce((a, b) => Math.max(a, b)),
      ],
      level: [100, 450],
      latitude: [-90, 90],
      longitude: [-180, 180],
      margin: { afterMs: 13 * HOUR_MS },
    });
    const { columns } = await runTrajectories('cocip', fleet, DEFAULT_TRAJECTORY_OPTIONS, {
      weather,
      compute,
    });
    weather.release();
    segments.push(...segmentsOf(fleet, columns.contrail_age, columns.energy_forcing));
  }
  return segments;
}

const CAP_HOURS = DEFAULT_TRAJECTORY_OPTIONS.maxAgeHours;
const STEP_HOURS = DEFAULT_TRAJECTORY_OPTIONS.dtIntegrationMinutes / 60;
const SPEED_M_S = 235;
const STEP_S = 60;
const EARTH_RADIUS_M = 6_371_000;
/** Length of the climb and of the descent. */
const CLIMB_M = 200_000;
const MIN_FT = 10_000;

function fleetOf(
  flights: readonly { readonly route: Route; readonly hour: number; readonly highness: number }[],
  day: number,
): RequestFleet {
  const tracks = flights.map(({ route: { from, to }, hour, highness }) => {
    const [a, b] = [unit(from), unit(to)];
    const angle = Math.acos(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    const metres = angle * EARTH_RADIUS_M;
    const cruiseFt = 1000 * Math.round((metres < 1_500_000 ? 32 : 33) + 7 * highness);
    const count = Math.floor(metres / (SPEED_M_S * STEP_S)) + 1;
    return Array.from({ length: count }, (_, i) => {
      const along = i * STEP_S * SPEED_M_S;
      const [u, v] = [Math.sin(angle - along / EARTH_RADIUS_M), Math.sin(along / EARTH_RADIUS_M)];
      const [x, y, z] = [0, 1, 2].map(
        (axis) => (u * (a[axis] as number) + v * (b[axis] as number)) / Math.sin(angle),
      ) as [number, number, number];
      const climbed = Math.min(1, along / CLIMB_M, (metres - along) / CLIMB_M);
      return {
        time: day + hour * HOUR_MS + i * STEP_S * 1000,
        longitude: (Math.atan2(y, x) * 180) / Math.PI,
        latitude: (Math.asin(z) * 180) / Math.PI,
        altitude: MIN_FT + (cruiseFt - MIN_FT) * climbed,
      };
    });
  });
  const all = tracks.flat();
  const column = (of: (waypoint: (typeof all)[number]) => number) => {
    const out = sharedFloat64(all.length);
    all.forEach((waypoint, i) => {
      out[i] = of(waypoint);
    });
    return out;
  };
  const offsets = sharedUint32(tracks.length + 1);
  tracks.forEach((track, f) => {
    offsets[f + 1] = (offsets[f] as number) + track.length;
  });
  return {
    columns: {
      timeMs: column(({ time }) => time),
      longitude: column(({ longitude }) => longitude),
      latitude: column(({ latitude }) => latitude),
      altitudeFt: column(({ altitude }) => altitude),
    },
    offsets,
    attributes: tracks.map((track, id) => ({ id, aircraftType: track.length > 300 ? 'B77W' : 'A320' })),
    requestIndex: undefined,
    flightId: undefined,
  };
}

function unit([longitude, latitude]: Route['from']): [number, number, number] {
  const [lambda, phi] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

function segmentsOf(
  { columns: { timeMs, longitude, latitude }, offsets, attributes }: RequestFleet,
  age: Float64Array = new Float64Array(),
  energyForcing: Float64Array = new Float64Array(),
): Segment[] {
  return attributes.flatMap((_, f) => {
    const [first, last] = [offsets[f] as number, (offsets[f + 1] as number) - 1];
    return Array.from({ length: last - first }, (__, i) => {
      const at = first + i;
      return {
        metres: SPEED_M_S * STEP_S,
        ageMinutes: age[at] || 0,
        joule: energyForcing[at] || 0,
        isDay:
          solarDirectRadiation(longitude[at] as number, latitude[at] as number, timeMs[at] as number) > 0,
      };
    });
  });
}

function summaryOf(segments: readonly Segment[]): Omit<DemoClimate, 'issr' | 'issrMean'> {
  const persistent = segments.filter(({ ageMinutes }) => ageMinutes > 0);
  const ages = persistent.map(({ ageMinutes }) => ageMinutes / 60).sort((a, b) => a - b);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const forcingOf = (isDay: boolean): Forcing => {
    const some = persistent.filter((segment) => segment.isDay === isDay);
    const metres = sum(some.map((segment) => segment.metres));
    return {
      energyForcingPerMetre: sum(some.map(({ joule }) => joule)) / metres,
      coolingShare: sum(some.filter(({ joule }) => joule < 0).map((segment) => segment.metres)) / metres,
    };
  };
  return {
    persistentShare: persistent.length / segments.length,
    lifetimeHours: { mean: sum(ages) / ages.length, median: ages[Math.floor(ages.length / 2)] ?? Number.NaN },
    shareAtCap: ages.filter((hours) => hours >= CAP_HOURS - STEP_HOURS).length / ages.length,
    day: forcingOf(true),
    night: forcingOf(false),
  };
}

async function issrOf(source: MetSource, days: readonly number[]) {
  const scaling = humidityScalingByName('exponential_boost_latitude_customization');
  const tally = LATITUDE_BANDS.map(() => FLIGHT_LEVELS.map(() => ({ area: 0, moist: 0 })));
  for (const time of days.flatMap((day) => [0, 5, 10, 15, 20].map((hour) => day + hour * HOUR_MS))) {
    const field = await source.read({
      variables: ['air_temperature', 'specific_humidity'],
      time: [time, time],
      level: [100, 400],
      latitude: [-90, 90],
      longitude: [-180, 180],
    });
    const longitude = field.longitude.knots.slice(0, -1);
    const count = longitude.length;
    const filled = (value: number) => new Float64Array(count).fill(value);
    const [temperature, humidity, scaled, rhi] = [filled(0), filled(0), filled(0), filled(0)];
    for (const parallel of field.latitude.knots) {
      const area = Math.cos((parallel * Math.PI) / 180);
      const band = LATITUDE_BANDS.findIndex(([south, north]) => parallel >= south && parallel <= north);
      FLIGHT_LEVELS.forEach((flightLevel, k) => {
        const level = levelFromAltitudeFt(100 * flightLevel);
        const latitude = filled(parallel);
        sampleInto(
          [temperature, humidity],
          field,
          0,
          { longitude, latitude, level: filled(level), timeMs: filled(time) },
          count,
        );
        scaling.scaleInto(scaled, rhi, humidity, temperature, filled(100 * level), latitude);
        const cell = tally[band]?.[k];
        if (cell === undefined) return;
        cell.area += area * count;
        cell.moist += area * rhi.filter((value) => value > 1).length;
      });
    }
  }
  const total = { area: 0, moist: 0 };
  for (const { area, moist } of tally.flat()) {
    total.area += area;
    total.moist += moist;
  }
  return {
    issr: tally.map((levels) => levels.map(({ area, moist }) => moist / area)),
    issrMean: total.moist / total.area,
  };
}
