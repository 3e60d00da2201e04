/**
 * Verification: length of contrails that a satellite shows, and length of those that the inventory of the same
 * day predicts to be visible, by hour and region.
 */

import { sqlPath } from '@contrails/formats';
import { type FixedGrid, toLonLat, toScanAngle, viewZenithDeg } from '@contrails/observations/navigation';
import type { Segment } from '@contrails/observations/segments';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, isoDate, isoSecond, MINUTE_MS } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import { type RunManifest, readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import type { Satellite } from './config.ts';
import { readSegments } from './frames/segments-file.ts';
import { type FrameRecord, listFrames } from './frames/table.ts';

/** Younger contrails are too narrow to be seen, older ones too faint or no lines any more. */
export const AGE_MINUTES = { first: 20, last: 150 } as const;
const MAX_VIEW_ZENITH_DEG = 65;
/** Regions are squares of so many degrees; visibility is decided for squares of one degree. */
const REGION_DEG = 10;
/** A region has contrails in an hour when a frame shows so many metres on average. */
const EVENT_M = 50_000;
/** Height at which lines are placed [m]. */
const HEIGHT_M = 10_500;
const MEMORY_MIB = 256;

const DEFINITIONS = {
  observed_length_m:
    'length of the L2 segments whose middle lies in the region, mean of the frames of the hour; positions at 10.5 km height',
  modelled_length_m: `length of flown minutes with a persistent contrail in the inventory whose contrail is ${AGE_MINUTES.first} to ${AGE_MINUTES.last} minutes old and still alive at the time of the frame, at the place where it formed, mean of the frames of the hour`,
  visible: `squares of one degree inside the image with a view zenith angle of at most ${MAX_VIEW_ZENITH_DEG} degrees; both lengths count there alone`,
  event: `a region and hour with a length of at least ${EVENT_M} m`,
  hit: 'observed and modelled event',
  miss: 'observed event that is not modelled',
  false_alarm: 'modelled event that is not observed',
  hit_rate: 'hits / (hits + misses)',
  false_alarm_ratio: 'false alarms / (hits + false alarms)',
} as const;

export interface RegionLengths {
  readonly hour: string;
  /** [deg] */
  readonly bbox: [west: number, south: number, east: number, north: number];
  readonly frames: number;
  readonly observed_length_m: number;
  readonly modelled_length_m: number;
}

export interface Verification {
  readonly date: string;
  readonly satellite: string;
  /** What the models' side is taken from. */
  readonly model: { readonly source: 'inventory'; readonly run_id: string; readonly status: string };
  readonly is_synthetic: boolean;
  readonly definitions: typeof DEFINITIONS;
  readonly frames: number;
  readonly total: { readonly observed_length_m: number; readonly modelled_length_m: number };
  readonly scores: {
    readonly hits: number;
    readonly misses: number;
    readonly false_alarms: number;
    readonly correct_negatives: number;
    /** Null where nothing was observed. */
    readonly hit_rate: number | null;
    /** Null where nothing is modelled. */
    readonly false_alarm_ratio: number | null;
  };
  readonly regions: RegionLengths[];
}

type VerificationServices = Pick<Services, 'database' | 'store'>;

/** Rejects with `NotFoundError` where the date has no frames or no inventory. */
export async function verifyDate(
  services: VerificationServices,
  satellite: Satellite,
  date: string,
  signal?: AbortSignal,
): Promise<Verification> {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const frames = (await listFrames(services.database, satellite, dayMs, dayMs + DAY_MS)).filter(
    ({ manifest }) => manifest?.l2 != null,
  );
  if (frames.length === 0) {
    throw new NotFoundError(`no segments of ${satellite} are stored for ${date}`, {
      facts: { reason: 'no_frames' },
    });
  }
  const manifest = await readRunManifest(services.store, date);
  if (manifest === undefined) {
    throw new NotFoundError(
      `the inventory has no ${date} yet, which the comparison needs; ask again when the date is published`,
      { facts: { reason: 'no_inventory' } },
    );
  }
  const lengths = new RegionTable();
  await addObserved(services, frames, lengths, signal);
  await addModelled(services, manifest, frames, lengths);
  const regions = lengths.rows();
  return {
    date,
    satellite,
    model: { source: 'inventory', run_id: manifest.run_id, status: manifest.status },
    is_synthetic: frames.some((frame) => frame.manifest?.is_synthetic === true),
    definitions: DEFINITIONS,
    frames: frames.length,
    total: {
      observed_length_m: sumOf(regions, ({ observed_length_m, frames: count }) => observed_length_m * count),
      modelled_length_m: sumOf(regions, ({ modelled_length_m, frames: count }) => modelled_length_m * count),
    },
    scores: scoresOf(regions),
    regions,
  };
}

function sumOf(regions: readonly RegionLengths[], of: (region: RegionLengths) => number): number {
  return Math.round(regions.reduce((sum, region) => sum + of(region), 0));
}

export function scoresOf(regions: readonly RegionLengths[]): Verification['scores'] {
  const count = (isObserved: boolean, isModelled: boolean) =>
    regions.filter(
      ({ observed_length_m, modelled_length_m }) =>
        observed_length_m >= EVENT_M === isObserved && modelled_length_m >= EVENT_M === isModelled,
    ).length;
  const [hits, misses, falseAlarms] = [count(true, true), count(true, false), count(false, true)];
  const ratio = (part: number, all: number) => (all === 0 ? null : Number((part / all).toFixed(4)));
  return {
    hits,
    misses,
    false_alarms: falseAlarms,
    correct_negatives: count(false, false),
    hit_rate: ratio(hits, hits + misses),
    false_alarm_ratio: ratio(falseAlarms, hits + falseAlarms),
  };
}

/** Lengths by hour and region, as sums over frames. */
export class RegionTable {
  private readonly sums = new Map<string, { frames: number; observed: number; modelled: number }>();

  /** Makes the visible regions of a frame known, which count even where nothing is in them. */
  addFrame(timeMs: number, regions: readonly string[]): void {
    for (const region of regions) this.entry(timeMs, region).frames++;
  }

  addObserved(timeMs: number, region: string, lengthM: number): void {
    this.entry(timeMs, region).observed += lengthM;
  }

  addModelled(timeMs: number, region: string, lengthM: number): void {
    this.entry(timeMs, region).modelled += lengthM;
  }

  rows(): RegionLengths[] {
    return [...this.sums]
      .filter(([, { frames }]) => frames > 0)
      .map(([key, { frames, observed, modelled }]): RegionLengths => {
        const [hour = '', west = '', south = ''] = key.split(' ');
        return {
          hour,
          bbox: [Number(west), Number(south), Number(west) + REGION_DEG, Number(south) + REGION_DEG],
          frames,
          observed_length_m: Math.round(observed / frames),
          modelled_length_m: Math.round(modelled / frames),
        };
      })
      .sort((a, b) =>
        a.hour === b.hour ? a.bbox[0] - b.bbox[0] || a.bbox[1] - b.bbox[1] : a.hour < b.hour ? -1 : 1,
      );
  }

  private entry(timeMs: number, region: string) {
    const key = `${isoSecond(Math.floor(timeMs / HOUR_MS) * HOUR_MS)} ${region}`;
    const found = this.sums.get(key) ?? { frames: 0, observed: 0, modelled: 0 };
    this.sums.set(key, found);
    return found;
  }
}

export function regionAt(lon: number, lat: number): string {
  const floor = (value: number) => Math.floor(value / REGION_DEG) * REGION_DEG;
  return `${floor(lon)} ${floor(lat)}`;
}

/** Squares of one degree that an image shows well, by their south-western corners. */
export function visibleSquares(grid: FixedGrid): ReadonlySet<string> {
  const squares = new Set<string>();
  for (let south = -90; south < 90; south++) {
    for (let west = -180; west < 180; west++) {
      if (isVisible(grid, west + 0.5, south + 0.5)) squares.add(`${west} ${south}`);
    }
  }
  return squares;
}

function isVisible(grid: FixedGrid, lon: number, lat: number): boolean {
  if (!(viewZenithDeg(grid, lon, lat) <= MAX_VIEW_ZENITH_DEG)) return false;
  const [x, y] = toScanAngle(grid, lon, lat, HEIGHT_M);
  const column = (x - grid.x0) / grid.dx;
  const row = (y - grid.y0) / grid.dy;
  return column >= 0 && row >= 0 && column <= grid.columns - 1 && row <= grid.rows - 1;
}

export function squareOf(lon: number, lat: number): string {
  return `${Math.floor(lon)} ${Math.floor(lat)}`;
}

/** The grid of a satellite seldom changes: squares are found once for each. */
function createVisibility(): (grid: FixedGrid) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (grid) => {
    const key = JSON.stringify(grid);
    const squares = known.get(key) ?? visibleSquares(grid);
    known.set(key, squares);
    return squares;
  };
}

async function addObserved(
  { store }: VerificationServices,
  frames: readonly FrameRecord[],
  lengths: RegionTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const visibility = createVisibility();
  for (const { manifest, timeMs } of frames) {
    signal?.throwIfAborted();
    if (manifest === undefined) continue;
    const segments = await readSegments(store, manifest);
    addSegments(lengths, visibility(manifest.grid), { timeMs, grid: manifest.grid, segments });
  }
}

/** The segments of a frame, where its image shows them well. */
export function addSegments(
  lengths: RegionTable,
  squares: ReadonlySet<string>,
  frame: { readonly timeMs: number; readonly grid: FixedGrid; readonly segments: readonly Segment[] },
): void {
  const regions = new Set([...squares].map((square) => regionAt(...cornerOf(square))));
  lengths.addFrame(frame.timeMs, [...regions]);
  for (const segment of frame.segments) {
    const [lon, lat] = middleOf(frame.grid, segment);
    if (squares.has(squareOf(lon, lat))) {
      lengths.addObserved(frame.timeMs, regionAt(lon, lat), segment.length_m);
    }
  }
}

function cornerOf(square: string): [number, number] {
  const [west = Number.NaN, south = Number.NaN] = square.split(' ').map(Number);
  return [west, south];
}

/** Where the middle of a segment is, at the height of contrails. */
function middleOf(grid: FixedGrid, { wkt }: Segment): readonly [lon: number, lat: number] {
  const [x0 = Number.NaN, y0 = Number.NaN, x1 = Number.NaN, y1 = Number.NaN] = Array.from(
    wkt.matchAll(/-?\d+(?:\.\d+)?/g),
    ([number]) => Number(number),
  );
  return toLonLat(grid, (x0 + x1) / 2 / grid.height, (y0 + y1) / 2 / grid.height, HEIGHT_M);
}

/** Minutes of flight of the day, and of the hours before it whose contrails reach into the day. */
async function addModelled(
  { store }: VerificationServices,
  manifest: RunManifest,
  frames: readonly FrameRecord[],
  lengths: RegionTable,
): Promise<void> {
  const dayMs = Date.parse(`${manifest.date}T00:00:00Z`);
  const before = await readRunManifest(store, isoDate(dayMs - DAY_MS));
  const keys = [
    ...['21', '22', '23'].flatMap((hour) => before?.segments[hour]?.key ?? []),
    ...Object.values(manifest.segments).map(({ key }) => key),
  ];
  const visibility = createVisibility();
  await withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
    const paths = await localCopies(store, keys, directory);
    await duckdb.run(
      `CREATE TABLE alive AS SELECT epoch_ms(time_start) AS ms, lat_start AS lat, lon_start AS lon,
         1000 * chunk_len_km AS length_m, least(contrail_age_min, ${AGE_MINUTES.last}) AS last_min
       FROM read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)
       WHERE persistent AND contrail_age_min >= ${AGE_MINUTES.first}`,
    );
    for (const { manifest: served, timeMs } of frames) {
      if (served === undefined) continue;
      const squares = visibility(served.grid);
      const rows = await duckdb.rows(
        `SELECT floor(lon) AS west, floor(lat) AS south, sum(length_m) AS length_m FROM alive
         WHERE ms <= ${timeMs - AGE_MINUTES.first * MINUTE_MS} AND ms + last_min * ${MINUTE_MS} >= ${timeMs} GROUP BY ALL`,
      );
      for (const { west, south, length_m } of rows) {
        const [lon, lat] = [Number(west), Number(south)];
        if (squares.has(`${lon} ${lat}`)) lengths.addModelled(timeMs, regionAt(lon, lat), Number(length_m));
      }
    }
  });
}
