/**
 * A simulated satellite. It observes the flights of the telemetry: where the contrail model finds a persistent
 * contrail, one is drawn into an image of made-up ground, cloud and cirrus, where the weather, with a small error, has
 * carried it. Only what is found in it is stored.
 */

import type { KnownFlight } from '@contrails/engine/attribution/known-flights';
import { isNear } from '@contrails/engine/attribution/known-flights';
import { openWinds } from '@contrails/engine/attribution/winds';
import { kernelAt } from '@contrails/engine/compute';
import type { InventoryFlight, ModelColumns } from '@contrails/flights/inventory';
import { driftTo, windsOf } from '@contrails/observations/attribution';
import { FRAME_STEP_MS, type Frame, scanOffsetsOf } from '@contrails/observations/frame';
import { type FixedGrid, fullDisk, toScanAngle, windowOf } from '@contrails/observations/navigation';
import { altitudeMFromLevel, levelFromAltitudeM } from '@contrails/physics/atmosphere';
import { feetToMetres } from '@contrails/physics/common';
import { HOUR_MS, isoSecond, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import type { Sky, VisibleContrail } from '@contrails/testbed/sky';
import type { Services } from '../../../services.ts';
import { telemetryUntilMs } from '../../../telemetry-store/table.ts';
import { readFlights } from '../attribution/flights.ts';
import { modelledFlights } from '../attribution/forcing.ts';
import type { ObservationsConfig, Satellite } from '../config.ts';
import { editionOf, type FrameRecord, frameTime, wantFrame } from '../frames/table.ts';
import type { Look } from './look.ts';

type SyntheticServices = Pick<Services, 'database' | 'store' | 'compute' | 'met'>;

const sceneKernel = kernelAt<typeof import('./scene.kernel.ts').default>(
  new URL('./scene.kernel.ts', import.meta.url),
);

const skyKernel = kernelAt<typeof import('./sky.kernel.ts').default>(
  new URL('./sky.kernel.ts', import.meta.url),
);

/** Changes when images of the same flights do. */
const SCENE_VERSION = 'scene 3';
export const SKY_SEED = 1;
/** Clear sky and systems of clouds that come and go. */
export const SKY_LOOK = { clutter: 1, isVaried: true } as const;

/** Where each satellite looks, as a window of its full disk: the busiest region that it sees well. */
const WINDOWS: Readonly<Record<Satellite, readonly [lon: number, lat: number]>> = {
  'goes-east': [-82, 38],
  'goes-west': [-115, 38],
  himawari: [122, 30],
  'mtg-0': [8, 47],
  'msg-0': [8, 47],
};
const ROWS = 384;
const COLUMNS = 768;

/** Contrails are drawn for so long at most. */
const MAX_AGE_MS = 4 * HOUR_MS;
/** Wake vortices sink at once [m]. */
const WAKE_SINKING_M = 90;
/** What the weather does not know of the wind [m/s]: to the east and to the north. */
const WIND_ERROR = [1.2, -0.8] as const;
const METRES_PER_DEGREE = 111_195;
/** Shorter stretches are not drawn. */
const MIN_POINTS = 5;

/** Stands for the files of a frame that has none. */
const INPUT_PREFIX = 'synthetic/';

/** Whether a frame is an image of this satellite. */
export function isSynthetic({ inputs }: Pick<FrameRecord, 'inputs'>): boolean {
  return inputs.some(({ path }) => path.startsWith(INPUT_PREFIX));
}

/** Frames of every ten minutes for which telemetry is complete. */
export const lookAtTelemetry: Look = async ({ database }, source, detector) => {
  const nowMs = Date.now();
  const { name, satellite } = source;
  const [known] = await database.query<{ last: number | null }>(
    'SELECT MAX(time_ms) AS last FROM observation_frames WHERE source = $1',
    [name],
  );
  const firstMs = frameTime(nowMs - source.backfillMs);
  const fromMs = Math.max(firstMs, (known?.last ?? 0) + FRAME_STEP_MS);
  const untilMs = (await telemetryUntilMs(database, firstMs)) ?? 0;
  let queued = 0;
  for (let timeMs = fromMs; timeMs + FRAME_STEP_MS <= untilMs; timeMs += FRAME_STEP_MS) {
    const inputs = [{ path: `${INPUT_PREFIX}${isoSecond(timeMs)}`, bytes: 0, checksum: SCENE_VERSION }];
    const edition = editionOf({ satellite, timeMs }, inputs, detector);
    const frame = { satellite, timeMs, source: name, inputs, detector, edition } as const;
    if (await wantFrame(database, { ...frame, state: 'queued', message: '' }, nowMs)) queued++;
  }
  if (queued > 0) {
    await database.execute('UPDATE observation_sources SET last_seen_ms = $2 WHERE name = $1', [name, nowMs]);
  }
  return queued;
};

/** Images of the last frames: each is also an earlier frame of the two after it. */
const images = new Map<string, Promise<Frame>>();
const MAX_IMAGES = 6;

/** The image of a time. The same telemetry and weather give the same image. */
export function renderFrame(
  services: SyntheticServices,
  config: ObservationsConfig,
  frame: Pick<FrameRecord, 'satellite' | 'timeMs'>,
  signal: AbortSignal,
): Promise<Frame> {
  const key = `${services.store.location} ${frame.satellite} ${frame.timeMs}`;
  const known = images.get(key);
  if (known !== undefined) return known;
  const made = drawFrame(services, config, frame, signal);
  images.set(key, made);
  made.catch(() => images.delete(key));
  for (const old of [...images.keys()].slice(0, -MAX_IMAGES)) images.delete(old);
  return made;
}

async function drawFrame(
  services: SyntheticServices,
  config: ObservationsConfig,
  { satellite, timeMs }: Pick<FrameRecord, 'satellite' | 'timeMs'>,
  signal: AbortSignal,
): Promise<Frame> {
  const grid = gridOf(satellite);
  const sky = await skyOf(services, grid, signal);
  const traffic = await trafficOf(services, config, grid, timeMs, signal);
  const contrails = await contrailsAt(services, grid, traffic, timeMs, signal);
  const seed = SKY_SEED + timeMs / FRAME_STEP_MS;
  return services.compute.run(sceneKernel, { sky, contrails, timeMs, seed }, { signal });
}

/** The last one is kept: the ground stays the same. */
let lastSky: { readonly name: string; readonly made: Promise<Sky> } | undefined;

function skyOf(
  { compute }: Pick<SyntheticServices, 'compute'>,
  grid: FixedGrid,
  signal: AbortSignal,
): Promise<Sky> {
  if (lastSky?.name === grid.name) return lastSky.made;
  const made = compute.run(skyKernel, { grid, seed: SKY_SEED, look: SKY_LOOK }, { signal });
  const sky = { name: grid.name, made };
  lastSky = sky;
  made.catch(() => {
    if (lastSky === sky) lastSky = undefined;
  });
  return made;
}

export function gridOf(satellite: Satellite): FixedGrid {
  const disk = fullDisk(satellite);
  const [x, y] = toScanAngle(disk, ...WINDOWS[satellite]);
  const column = Math.round((x - disk.x0) / disk.dx) - COLUMNS / 2;
  const row = Math.round((y - disk.y0) / disk.dy) - ROWS / 2;
  return windowOf(disk, row, column, ROWS, COLUMNS);
}

export interface ModelledTraffic {
  readonly flights: readonly KnownFlight[];
  readonly models: ReadonlyMap<string, ModelColumns>;
}

/** The frames of an hour see the same flights. */
const traffics = new Map<string, Promise<ModelledTraffic>>();
const MAX_TRAFFIC = 2;

function trafficOf(
  services: SyntheticServices,
  config: ObservationsConfig,
  grid: FixedGrid,
  timeMs: number,
  signal: AbortSignal,
): Promise<ModelledTraffic> {
  const hourMs = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
  const key = `${services.store.location} ${grid.name} ${hourMs}`;
  const known = traffics.get(key);
  if (known !== undefined) return known;
  const made = modelTraffic(services, config, grid, hourMs, signal);
  traffics.set(key, made);
  made.catch(() => traffics.delete(key));
  for (const old of [...traffics.keys()].slice(0, -MAX_TRAFFIC)) traffics.delete(old);
  return made;
}

async function modelTraffic(
  services: SyntheticServices,
  config: ObservationsConfig,
  grid: FixedGrid,
  hourMs: number,
  signal: AbortSignal,
): Promise<ModelledTraffic> {
  const flights = await readFlights(
    services,
    {
      fromMs: hourMs - MAX_AGE_MS,
      toMs: hourMs + HOUR_MS,
      memoryMiB: config.telemetry.memory_mib,
      isWanted: (flight) => isNear(grid, flight),
    },
    signal,
  );
  const models = await modelledFlights(
    services,
    config,
    flights.map(({ flight }) => flight),
    signal,
  );
  return { flights, models };
}

/** The contrails of flights at a time, where the weather has carried them. */
export async function contrailsAt(
  services: Pick<SyntheticServices, 'met'>,
  grid: FixedGrid,
  { flights, models }: ModelledTraffic,
  timeMs: number,
  signal: AbortSignal,
): Promise<VisibleContrail[]> {
  const weather = await openWinds(
    services,
    flights,
    { fromMs: timeMs - MAX_AGE_MS, toMs: timeMs + FRAME_STEP_MS },
    signal,
  );
  if (typeof weather === 'string') return [];
  try {
    const winds = windsOf(weather.levels);
    const offsets = scanOffsetsOf({ grid });
    return flights.flatMap(({ flight, id }) => {
      const modelled = models.get(id);
      if (modelled === undefined) return [];
      return stretchesOf(flight, modelled, timeMs).flatMap((minutes) => {
        const drawn = drift(flight, modelled, minutes, winds, (lon, lat) => {
          const row = Math.round((toScanAngle(grid, lon, lat)[1] - grid.y0) / grid.dy);
          const offsetS = offsets[Math.min(Math.max(row, 0), grid.rows - 1)] ?? 0;
          return timeMs + offsetS * SECOND_MS;
        });
        return drawn.points.length >= MIN_POINTS ? [drawn] : [];
      });
    });
  } finally {
    weather.release();
  }
}

/** Minutes of flight, in runs, whose contrail is alive at a time. */
function stretchesOf(
  { columns: { timeMs: minutes } }: InventoryFlight,
  { contrail_age, energy_forcing }: ModelColumns,
  timeMs: number,
): number[][] {
  const runs: number[][] = [];
  for (let i = 0; i < minutes.length; i++) {
    const ageMs = timeMs - (minutes[i] as number);
    const isAlive =
      ageMs > 0 &&
      ageMs < Math.min((contrail_age[i] as number) * MINUTE_MS, MAX_AGE_MS) &&
      Math.abs(energy_forcing[i] as number) > 0;
    if (!isAlive) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === i - 1) run.push(i);
    else runs.push([i]);
  }
  return runs.filter(({ length }) => length >= MIN_POINTS);
}

function drift(
  flight: InventoryFlight,
  { contrail_age }: ModelColumns,
  minutes: readonly number[],
  winds: ReturnType<typeof windsOf>,
  scanMs: (lon: number, lat: number) => number,
): VisibleContrail {
  const { columns } = flight;
  const column = (of: (i: number) => number) => Float64Array.from(minutes, of);
  const points = {
    longitude: column((i) => columns.longitude[i] as number),
    latitude: column((i) => columns.latitude[i] as number),
    level: column((i) => levelFromAltitudeM(feetToMetres(columns.altitudeFt[i] as number) - WAKE_SINKING_M)),
    timeMs: column((i) => columns.timeMs[i] as number),
  };
  const target = column((i) => scanMs(columns.longitude[i] as number, columns.latitude[i] as number));
  driftTo(points, target, minutes.length, winds);
  const { peak, beta } = looksOf(flight.flightId);
  const kept = Array.from(minutes.keys()).filter((k) => !Number.isNaN(points.level[k] as number));
  return {
    id: minutes[0] as number,
    flight: flight.flightId,
    beta,
    points: kept.map((k) => {
      const i = minutes[k] as number;
      const flightTimeMs = columns.timeMs[i] as number;
      const ageS = ((target[k] as number) - flightTimeMs) / SECOND_MS;
      const latitude = points.latitude[k] as number;
      const level = points.level[k] as number;
      const metresEast = METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
      return {
        lon: (points.longitude[k] as number) + (WIND_ERROR[0] * ageS) / metresEast,
        lat: latitude + (WIND_ERROR[1] * ageS) / METRES_PER_DEGREE,
        heightM: altitudeMFromLevel(level),
        temperatureK: 218 + 0.16 * (level - 225),
        flightTimeMs,
        ageS,
        tau: peak * fade(ageS, (contrail_age[i] as number) * 60) * Math.exp(-ageS / 9000),
        sigmaKm: 0.35 + 1.2 * (ageS / 3600),
      };
    }),
  };
}

/** Contrails take ten minutes to grow and twenty to fade [s]. */
function fade(ageS: number, lifeS: number): number {
  return Math.min(1, ageS / 600) * Math.min(1, Math.max(0, lifeS - ageS) / 1200);
}

/** Peak optical depth and its ratio between 12 and 11 µm: the same for a flight at all times. */
function looksOf(flightId: string): { readonly peak: number; readonly beta: number } {
  let hash = 0;
  for (const letter of flightId) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  const share = hash / 2 ** 32;
  return { peak: 0.15 * 3 ** share, beta: 1.12 + 0.1 * ((997 * share) % 1) };
}
