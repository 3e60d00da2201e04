import type { InventoryFlight } from '@contrails/flights/inventory';
import { prepareFlight } from '@contrails/observations/attribution';
import { ridgeDetector } from '@contrails/observations/detect';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import { instanceScores, poolCounts, scoreFrame, segmentEnds } from '@contrails/observations/score';
import { findSegments, storedConfidence } from '@contrails/observations/segments';
import { feetToMetres } from '@contrails/physics/common';
import { haversineM } from '@contrails/physics/geodesy';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { makeSky, truthOf, viewSky } from '@contrails/testbed/sky';
import { legsBetween } from '@contrails/testbed/traffic';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelledFlights } from '../../../src/families/observations/attribution/forcing.ts';
import {
  contrailsAt,
  gridOf,
  type ModelledTraffic,
  SKY_LOOK,
  SKY_SEED,
} from '../../../src/families/observations/sources/synthetic.ts';
import {
  AGE_MINUTES,
  addSegments,
  RegionTable,
  regionAt,
  scoresOf,
  squareOf,
  visibleSquares,
} from '../../../src/families/observations/verification.ts';
import { flightOfLeg } from '../inventory/support.ts';
import { demoFleet } from './support/demo-fleet.ts';
import { openTrial, type Trial } from './support/trial.ts';

/** A day with contrails in view; `docs/observations.md` has its figures. */
const DAY_MS = Date.UTC(2026, 2, 3);
const HOURS = [2, 6, 10, 14, 18, 22];
/** Contrails live for so long at most. */
const LIFE_HOURS = 4;
const AROUND = { west: -100, east: -65, south: 26, north: 49 };
const MIN_MINUTES = 20;

let trial: Trial;
let traffic: ModelledTraffic;
const signal = AbortSignal.timeout(600_000);

/** The part of a flight near the window: weather of the rest of its way is not needed. */
function clipped(flight: InventoryFlight): InventoryFlight[] {
  const { columns } = flight;
  const inside = Array.from(columns.timeMs.keys()).filter((i) => {
    const [lon, lat] = [columns.longitude[i] as number, columns.latitude[i] as number];
    return lon > AROUND.west && lon < AROUND.east && lat > AROUND.south && lat < AROUND.north;
  });
  if (inside.length < MIN_MINUTES) return [];
  const pick = (column: Float64Array) => Float64Array.from(inside, (i) => column[i] as number);
  return [
    {
      ...flight,
      columns: {
        timeMs: pick(columns.timeMs),
        longitude: pick(columns.longitude),
        latitude: pick(columns.latitude),
        altitudeFt: pick(columns.altitudeFt),
        gapS: pick(columns.gapS),
        imputed: new Uint8Array(inside.length),
      },
    },
  ];
}

beforeAll(async () => {
  trial = await openTrial({
    observations: { attribution: false },
    met: { name: 'demo', kind: 'synthetic', resolution: 1, seed: 1 },
  });
  const flights = demoFleet()
    .flatMap((airframe) => [
      ...legsBetween(
        airframe,
        DAY_MS + ((HOURS[0] ?? 0) - LIFE_HOURS) * HOUR_MS,
        DAY_MS + ((HOURS.at(-1) ?? 0) + 1) * HOUR_MS,
      ),
    ])
    .flatMap((leg) => clipped(flightOfLeg(leg)));
  traffic = {
    flights: flights.map((flight) => ({
      id: flight.flightId,
      name: null,
      flight,
      points: prepareFlight({
        flight: flight.flightId,
        ...flight.columns,
        altitudeM: Array.from(flight.columns.altitudeFt, feetToMetres),
      }),
    })),
    models: await modelledFlights(trial.services, trial.config, flights, signal),
  };
}, 300_000);
afterAll(() => trial.close());

/** Adds what the model has of contrails in a frame, as the verification counts it. */
function addModelled(lengths: RegionTable, squares: ReadonlySet<string>, timeMs: number): void {
  for (const { flight, id } of traffic.flights) {
    const modelled = traffic.models.get(id);
    if (modelled === undefined) continue;
    const { longitude, latitude, timeMs: minutes } = flight.columns;
    for (let i = 0; i + 1 < minutes.length; i++) {
      const ageMinutes = (timeMs - (minutes[i] as number)) / MINUTE_MS;
      const life = Math.min(modelled.contrail_age[i] as number, AGE_MINUTES.last);
      const isPersistent = Math.abs(modelled.energy_forcing[i] as number) > 0;
      if (!isPersistent || ageMinutes < AGE_MINUTES.first || ageMinutes > life) continue;
      const [lon, lat] = [longitude[i] as number, latitude[i] as number];
      if (!squares.has(squareOf(lon, lat))) continue;
      const lengthM = haversineM(lon, lat, longitude[i + 1] as number, latitude[i + 1] as number);
      lengths.addModelled(timeMs, regionAt(lon, lat), lengthM);
    }
  }
}

test('most lines of the demo are contrails, and where it shows contrails the model has some', async () => {
  const grid = gridOf('goes-east');
  const sky = makeSky({ grid, seed: SKY_SEED, look: SKY_LOOK });
  const squares = visibleSquares(grid);
  const lengths = new RegionTable();
  const detector = ridgeDetector({ skipsStationary: true });
  const counts: ReturnType<typeof scoreFrame>['counts'][] = [];
  let stationary = 0;
  for (const hour of HOURS) {
    const timeMs = DAY_MS + hour * HOUR_MS + 2 * FRAME_STEP_MS;
    const viewAt = async (ms: number) => {
      const contrails = await contrailsAt(trial.services, grid, traffic, ms, signal);
      return { contrails, ...viewSky(sky, contrails, ms, SKY_SEED + ms / FRAME_STEP_MS) };
    };
    const earlier = [await viewAt(timeMs - FRAME_STEP_MS), await viewAt(timeMs - 2 * FRAME_STEP_MS)];
    const view = await viewAt(timeMs);
    const detection = await detector.detect(
      view.frame,
      earlier.map(({ frame }) => frame),
    );
    stationary += detection.stationary ?? 0;
    const stored = storedConfidence(detection.confidence, detection.valid);
    const segments = await findSegments({ ...view.frame, stored });
    const found = segments.map(({ id, wkt }) => ({ id, ends: segmentEnds(wkt, grid) }));
    counts.push(scoreFrame(found, truthOf(view, view.contrails).lines).counts);
    addSegments(lengths, squares, { timeMs, grid, segments });
    addModelled(lengths, squares, timeMs);
  }
  const pooled = poolCounts(counts);
  const scores = instanceScores(pooled);
  const verified = scoresOf(lengths.rows());
  console.log({
    ...scores,
    predicted: pooled.predicted,
    observable: pooled.observable,
    stationary,
    ...verified,
  });
  expect(pooled.observable).toBeGreaterThanOrEqual(10);
  expect(scores.precision).toBeGreaterThanOrEqual(0.5);
  expect(scores.recall).toBeGreaterThanOrEqual(0.6);
  expect(verified.hit_rate).toBeGreaterThanOrEqual(0.6);
}, 300_000);
