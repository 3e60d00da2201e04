/**
 * How good a forecast of persistent-contrail regions is: of the observed contrails the share inside it (hit rate), and of all
 * flying the share inside it too (penalty). Sums are kept by day, so periods can be added and intervals drawn.
 */
import { DAY_MS } from '@contrails/runtime';
import { type PlaneShape, stepsToRegion } from '../grid/buffer.ts';
import { type DailySums, drawDays, type Interval, ratioInterval } from './bootstrap.ts';

export const OBSERVATION_SOURCES = ['adsb', 'iagos', 'gruan', 'contrailwatch'] as const;
export type ObservationSource = (typeof OBSERVATION_SOURCES)[number];

/** The cells of the benchmark: −180 … 179.75 and −80 … 80, a quarter of a degree apart. */
export const SCORED_GRID: PlaneShape & {
  readonly step: number;
  readonly west: number;
  readonly south: number;
} = {
  columns: 1440,
  rows: 641,
  isCyclic: true,
  step: 0.25,
  west: -180,
  south: -80,
};

/** West, east, south and north [°], all included. */
export type RegionBounds = readonly [number, number, number, number];
export const NAMED_REGIONS: Readonly<Record<string, RegionBounds>> = {
  global: [-180, 180, -90, 90],
  conus: [-134, -63, 20, 50],
  shanwick: [-30, -10, 45, 61],
};
export const SEASONS: Readonly<Record<string, readonly number[]>> = {
  annual: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  winter: [1, 2, 12],
  spring: [3, 4, 5],
  summer: [6, 7, 8],
  autumn: [9, 10, 11],
};

/** What makes a region of a forecast: the values above a threshold, where it has one, and the steps it is widened by. */
export interface ScoreSetting {
  readonly buffer: number;
  readonly threshold: number | undefined;
}

/** Observed cells of one source at one time and level. */
export interface ObservedCells {
  /** Index in a plane of {@link SCORED_GRID}. */
  readonly cells: Int32Array;
  /** Distance flown in each cell; of other sources than adsb the observed cells alone are listed, with weights by area. */
  readonly weights: Float64Array;
}

/** One time and level: the forecast as 0, 1 and 2 (missing) for a threshold, and what was observed then. */
export interface Shard {
  readonly timeMs: number;
  regionAbove(threshold: number | undefined): Uint8Array;
  readonly observed: ReadonlyMap<ObservationSource, ObservedCells>;
}

/** A figure with its interval; null where nothing was observed or days are too few. */
export interface ScoredFigure {
  readonly value: number | null;
  readonly interval: Interval | null;
}

export interface ScoreRow {
  readonly region: string;
  readonly season: string;
  readonly setting: ScoreSetting;
  /** The penalty under adsb, hit rates under the others. */
  readonly figures: Readonly<Record<ObservationSource, ScoredFigure>>;
  readonly shards: number;
  readonly days: number;
  readonly unknownCells: number;
}

export interface ScoreOptions {
  readonly settings: readonly ScoreSetting[];
  readonly regions: Readonly<Record<string, RegionBounds>>;
  readonly seasons: readonly string[];
  readonly resamples: number;
  readonly seed: number;
}

export const MISSING = 2;

/** Sums of one day, region and setting. */
export interface DayEntry {
  shards: number;
  unknownCells: number;
  readonly sums: Record<ObservationSource, { part: number; whole: number }>;
}

/** Adds shards up; rows may be asked for at any time. */
export class ForecastScore {
  private readonly options: ScoreOptions;
  /** By day, then by region and setting. */
  private readonly days = new Map<number, DayEntry[]>();

  constructor(options: ScoreOptions) {
    this.options = options;
  }

  add(shard: Shard): void {
    const { settings, regions } = this.options;
    const entries = this.entriesOf(Math.floor(shard.timeMs / DAY_MS));
    const bounds = Object.values(regions);
    for (const threshold of new Set(settings.map((setting) => setting.threshold))) {
      const region = shard.regionAbove(threshold);
      const steps = stepsToRegion(region, SCORED_GRID);
      settings.forEach((setting, s) => {
        if (setting.threshold !== threshold) return;
        bounds.forEach((box, r) => {
          const entry = entries[r * settings.length + s] as DayEntry;
          entry.shards++;
          for (const [source, observed] of shard.observed)
            addCells(entry, source, observed, box, region, steps, setting.buffer);
        });
      });
    }
  }

  /** The sums of each day, which another score of the same options can take over. */
  sums(): readonly (readonly [day: number, entries: readonly DayEntry[]])[] {
    return [...this.days];
  }

  /** Takes over the sums of a day in place of what it has of it. */
  setDay(day: number, entries: readonly DayEntry[]): void {
    this.days.set(day, [...entries]);
  }

  /** One row after the other, because intervals over many days take a while. */
  *rows(): Generator<ScoreRow> {
    const { settings, regions, seasons, resamples, seed } = this.options;
    const ordered = [...this.days].sort(([a], [b]) => a - b);
    const draws = new Map<number, Uint16Array[]>();
    const drawsOf = (days: number) => {
      const known = draws.get(days) ?? drawDays(days, resamples, seed);
      draws.set(days, known);
      return known;
    };
    for (const [r, region] of Object.keys(regions).entries()) {
      for (const season of seasons) {
        const months = SEASONS[season] as readonly number[];
        const ofSeason = ordered.filter(([day]) => months.includes(new Date(day * DAY_MS).getUTCMonth() + 1));
        for (const [s, setting] of settings.entries()) {
          const entries = ofSeason.map(([, all]) => all[r * settings.length + s] as DayEntry);
          const figure = (source: ObservationSource) =>
            figureOf(
              entries.map(({ sums }) => sums[source]),
              drawsOf,
            );
          yield {
            ...{ region, season, setting },
            figures: {
              adsb: figure('adsb'),
              iagos: figure('iagos'),
              gruan: figure('gruan'),
              contrailwatch: figure('contrailwatch'),
            },
            shards: entries.reduce((sum, { shards }) => sum + shards, 0),
            days: entries.length,
            unknownCells: entries.reduce((sum, { unknownCells }) => sum + unknownCells, 0),
          };
        }
      }
    }
  }

  private entriesOf(day: number): DayEntry[] {
    const known = this.days.get(day);
    if (known !== undefined) return known;
    const { settings, regions } = this.options;
    const none = () => ({ part: 0, whole: 0 });
    const entries = Array.from({ length: settings.length * Object.keys(regions).length }, () => ({
      shards: 0,
      unknownCells: 0,
      sums: { adsb: none(), iagos: none(), gruan: none(), contrailwatch: none() },
    }));
    this.days.set(day, entries);
    return entries;
  }
}

function addCells(
  entry: DayEntry,
  source: ObservationSource,
  { cells, weights }: ObservedCells,
  [west, east, south, north]: RegionBounds,
  region: Uint8Array,
  steps: Uint8Array,
  buffer: number,
): void {
  const sums = entry.sums[source];
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as number;
    const longitude = SCORED_GRID.west + SCORED_GRID.step * Math.floor(cell / SCORED_GRID.rows);
    const latitude = SCORED_GRID.south + SCORED_GRID.step * (cell % SCORED_GRID.rows);
    if (longitude < west || longitude > east || latitude < south || latitude > north) continue;
    const isInside = (steps[cell] as number) <= buffer;
    if (!isInside && region[cell] === MISSING) {
      if (source === 'adsb') entry.unknownCells++;
      continue;
    }
    sums.whole += weights[i] as number;
    if (isInside) sums.part += weights[i] as number;
  }
}

function figureOf(days: readonly DailySums[], drawsOf: (days: number) => Uint16Array[]): ScoredFigure {
  const sum = (name: keyof DailySums) => days.reduce((total, day) => total + day[name], 0);
  if (!(sum('whole') > 0)) return { value: null, interval: null };
  return {
    value: sum('part') / sum('whole'),
    interval: ratioInterval(days, drawsOf(days.length)) ?? null,
  };
}
