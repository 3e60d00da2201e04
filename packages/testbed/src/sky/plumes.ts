/** Contrails as a satellite meets them: where they have drifted to by the time their row is scanned, and how thick they are. */

import { type FixedGrid, toScanAngle, windowPosition } from '@contrails/observations/navigation';
import { levelFromAltitudeM } from '@contrails/physics/atmosphere';
import type { ContrailRun } from './flights.ts';
import { valueNoise } from './noise.ts';
import { fromPlane, type Plane, toPlane } from './plane.ts';
import type { WindModel } from './winds.ts';

/** A contrail in a frame: a polyline of places with what the imager sees there. */
export interface VisibleContrail {
  readonly id: number;
  /** The flight that left it. */
  readonly flight: string;
  readonly points: readonly VisiblePoint[];
  /** Optical depth at 12 µm over that at 11 µm. */
  readonly beta: number;
}

export interface VisiblePoint {
  readonly lon: number;
  readonly lat: number;
  readonly heightM: number;
  readonly temperatureK: number;
  /** When the flight was there [ms since 1970]. */
  readonly flightTimeMs: number;
  readonly ageS: number;
  /** Vertical optical depth at 11 µm at the centreline. */
  readonly tau: number;
  /** Of the Gaussian cross-section [km]. */
  readonly sigmaKm: number;
}

const WAKE_SINKING_M = 90;
const FALL_SPEED_M_S = 0.015;
const MAX_STEP_S = 300;
const FADE_IN_S = 600;
const FADE_OUT_S = 1200;
/** Waypoints between which the optical depth along a contrail changes; longer ones hide faint contrails for long stretches. */
const MODULATION_POINTS = 1.5;

/** The part of a contrail that exists in a frame, drifted with the true wind; undefined if there is none. */
export function contrailAt(
  run: ContrailRun,
  frameMs: number,
  startMs: number,
  { grid, plane, winds }: { readonly grid: FixedGrid; readonly plane: Plane; readonly winds: WindModel },
  scanOffsets: Float32Array,
): VisibleContrail | undefined {
  const points: VisiblePoint[] = [];
  for (let i = run.first; i <= run.last; i++) {
    const point = pointAt(run, i, frameMs, startMs, { grid, plane, winds }, scanOffsets);
    if (point !== undefined) points.push(point);
  }
  return points.length < 2 ? undefined : { id: run.id, flight: run.flight.flight, points, beta: run.beta };
}

function pointAt(
  run: ContrailRun,
  index: number,
  frameMs: number,
  startMs: number,
  { grid, plane, winds }: { readonly grid: FixedGrid; readonly plane: Plane; readonly winds: WindModel },
  scanOffsets: Float32Array,
): VisiblePoint | undefined {
  const { flight } = run;
  const flightTimeMs = flight.timeMs[index] as number;
  const bornAt = (flightTimeMs - startMs) / 1000;
  let [x, y] = toPlane(plane, flight.longitude[index] as number, flight.latitude[index] as number);
  let height = (flight.altitudeM[index] as number) - WAKE_SINKING_M;
  let now = bornAt;
  const driftTo = (until: number) => {
    while (now < until) {
      const step = Math.min(MAX_STEP_S, until - now);
      const [u, v] = winds.truth(x, y, levelFromAltitudeM(height), now);
      const half = step / 2000;
      const [u2, v2] = winds.truth(x + u * half, y + v * half, levelFromAltitudeM(height), now + step / 2);
      x += (u2 * step) / 1000;
      y += (v2 * step) / 1000;
      height -= FALL_SPEED_M_S * step;
      now += step;
    }
  };
  const frameS = (frameMs - startMs) / 1000;
  driftTo(frameS);
  // Where it then is decides when it is scanned; a second look would change that by a fraction of a second.
  driftTo(frameS + offsetOf(grid, ...fromPlane(plane, x, y), height, scanOffsets));
  const ageS = now - bornAt;
  if (ageS <= run.fadeInS || ageS >= run.lifetimeS) return undefined;
  const [lon, lat] = fromPlane(plane, x, y);
  const fadeIn = clamp((ageS - run.fadeInS) / FADE_IN_S);
  const fadeOut = clamp((run.lifetimeS - ageS) / FADE_OUT_S);
  const modulation = 1 + 0.25 * valueNoise(index / MODULATION_POINTS, 0, run.seed);
  return {
    lon,
    lat,
    heightM: height,
    temperatureK: 218 + 0.16 * (levelFromAltitudeM(height) - 225),
    flightTimeMs,
    ageS,
    tau: run.tau0 * fadeIn * fadeOut * modulation * Math.exp(-ageS / 9000),
    sigmaKm: 0.35 + (run.spread * 1.6 * ageS) / 3600,
  };
}

function offsetOf(
  grid: FixedGrid,
  lon: number,
  lat: number,
  height: number,
  scanOffsets: Float32Array,
): number {
  const [, y] = toScanAngle(grid, lon, lat, height);
  const row = Math.round((y - grid.y0) / grid.dy);
  const inside = scanOffsets[Math.min(grid.rows - 1, Math.max(0, Number.isNaN(row) ? 0 : row))] as number;
  // Rows beyond the window go on as those in it.
  const beyond = Number.isNaN(row) ? 0 : row - Math.min(grid.rows - 1, Math.max(0, row));
  const perRow = (scanOffsets[1] ?? 0) - (scanOffsets[0] ?? 0) || 570 / windowPosition(grid).rows;
  return inside + beyond * perRow;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
