/**
 * What this service saw itself, as observations that a forecast is scored against: where aircraft of the telemetry flew, and
 * where satellites showed contrails that belong to them.
 */
import type { FlightResult } from '@contrails/engine/attribution/results';
import type { ShardName } from '@contrails/engine/skill/observations';
import { type Observe, SCORED_LEVELS } from '@contrails/engine/skill/run';
import { type ObservationSource, type ObservedCells, SCORED_GRID } from '@contrails/engine/skill/score';
import { metresToFeet } from '@contrails/physics/common';
import { haversineM } from '@contrails/physics/geodesy';
import type { Queryable } from '@contrails/platform/database/database';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import type { Services } from '../../../services.ts';
import { readAircraftRows } from '../../../telemetry-store/read.ts';
import { listHours } from '../../../telemetry-store/table.ts';

export interface OwnObservations {
  readonly observe: Observe;
  /** Times and levels between two times, both included, that telemetry covers. */
  list(fromMs: number, toMs: number): Promise<ShardName[]>;
}

/** An hour stands for the half hours before and after it. */
const HALF_HOUR_MS = HOUR_MS / 2;
/** Where an aircraft flew between two reports that are further apart is not known. */
const MAX_GAP_MS = 10 * MINUTE_MS;
/** Tracks are cut into pieces, each of which counts for one cell [m]. */
const PIECE_M = 5000;
/** Satellites show a contrail this long after the flight at most. */
const SEEN_MS = 2 * HOUR_MS;
/** Results of flights in memory at a time. */
const FLIGHTS_AT_ONCE = 200;

type HourCells = ReadonlyMap<number, ReadonlyMap<ObservationSource, ObservedCells>>;

export function ownObservations(
  services: Pick<Services, 'database' | 'store'>,
  memoryMiB: number,
): OwnObservations {
  let last: { readonly timeMs: number; readonly cells: Promise<HourCells> } | undefined;
  return {
    observe: async (_, { timeMs, flightLevel }) => {
      if (last?.timeMs !== timeMs) last = { timeMs, cells: observeHour(services, timeMs, memoryMiB) };
      return (await last.cells).get(flightLevel) ?? new Map();
    },
    async list(fromMs, toMs) {
      const hours = await listHours(services.database, fromMs - HOUR_MS, toMs + HOUR_MS);
      const served = new Set(
        hours.flatMap(({ hourMs, generation, state }) =>
          generation > 0 && state !== 'removed' ? [hourMs] : [],
        ),
      );
      return [...served]
        .filter((hourMs) => hourMs >= fromMs && hourMs <= toMs && served.has(hourMs - HOUR_MS))
        .sort((a, b) => a - b)
        .flatMap((timeMs) => SCORED_LEVELS.map((flightLevel) => ({ timeMs, flightLevel })));
    },
  };
}

async function observeHour(
  { database, store }: Pick<Services, 'database' | 'store'>,
  hourMs: number,
  memoryMiB: number,
): Promise<HourCells> {
  const span = { fromMs: hourMs - HALF_HOUR_MS, toMs: hourMs + HALF_HOUR_MS };
  const flown = new LevelCells();
  await readAircraftRows({ store }, { ...span, memoryMiB }, ({ columns }) => {
    const { timestamp, longitude, latitude, altitude_baro: altitude } = columns;
    for (let i = 1; i < timestamp.length; i++) {
      const [fromMs, toMs] = [timestamp[i - 1] as number, timestamp[i] as number];
      if (fromMs < span.fromMs || toMs >= span.toMs || toMs - fromMs > MAX_GAP_MS) continue;
      const at = (k: number) => [longitude[k] as number, latitude[k] as number] as const;
      flown.addTrack(at(i - 1), at(i), ((altitude[i - 1] as number) + (altitude[i] as number)) / 2);
    }
  });
  const seen = (await hasImages(database, hourMs)) ? await seenCells(database, span) : undefined;
  return new Map(
    SCORED_LEVELS.map((level) => {
      const observed = new Map<ObservationSource, ObservedCells>([['adsb', flown.at(level)]]);
      if (seen !== undefined) observed.set('contrailwatch', areaWeighted(seen.at(level)));
      return [level, observed] as const;
    }),
  );
}

async function hasImages(database: Queryable, hourMs: number): Promise<boolean> {
  const [frame] = await database.query(
    'SELECT time_ms FROM observation_frames WHERE published_ms IS NOT NULL AND time_ms >= $1 AND time_ms < $2 LIMIT 1',
    [hourMs, hourMs + SEEN_MS],
  );
  return frame !== undefined;
}

/** Where flights were whose contrails satellites showed. */
async function seenCells(
  database: Queryable,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<LevelCells> {
  const cells = new LevelCells();
  let [flight, satellite] = ['', ''];
  for (;;) {
    const rows = await database.query<{ flight_id: string; satellite: string; result: string }>(
      `SELECT flight_id, satellite, result FROM observation_flights
       WHERE status = 'attributed' AND first_ms < $1 AND last_ms >= $2
         AND (flight_id > $3 OR (flight_id = $3 AND satellite > $4))
       ORDER BY flight_id, satellite LIMIT ${FLIGHTS_AT_ONCE}`,
      [toMs, fromMs, flight, satellite],
    );
    for (const { result } of rows) {
      const { chunks } = JSON.parse(result) as FlightResult;
      for (const { line, startMs, endMs, isAttributed } of chunks) {
        const middleMs = (startMs + endMs) / 2;
        if (!isAttributed || middleMs < fromMs || middleMs >= toMs) continue;
        for (const [k, [lon, lat, altitudeM]] of line.entries()) {
          const before = line[k - 1];
          if (before !== undefined)
            cells.addTrack([before[0], before[1]], [lon, lat], metresToFeet((before[2] + altitudeM) / 2));
        }
      }
    }
    const final = rows.at(-1);
    if (final === undefined || rows.length < FLIGHTS_AT_ONCE) return cells;
    flight = final.flight_id;
    satellite = final.satellite;
  }
}

/** Distances flown, by level and cell. */
class LevelCells {
  private readonly levels = new Map<number, Map<number, number>>();

  addTrack(
    [lon0, lat0]: readonly [number, number],
    [lon1, lat1]: readonly [number, number],
    altitudeFt: number,
  ): void {
    const level = 10 * Math.round(altitudeFt / 1000);
    if (!SCORED_LEVELS.includes(level)) return;
    const lengthM = haversineM(lon0, lat0, lon1, lat1);
    if (!(lengthM > 0)) return;
    const pieces = Math.ceil(lengthM / PIECE_M);
    const east = ((((lon1 - lon0 + 180) % 360) + 360) % 360) - 180;
    const cells = this.levels.get(level) ?? new Map<number, number>();
    this.levels.set(level, cells);
    for (let k = 0; k < pieces; k++) {
      const share = (k + 0.5) / pieces;
      const cell = cellOf(lon0 + share * east, lat0 + share * (lat1 - lat0));
      if (cell !== undefined) cells.set(cell, (cells.get(cell) ?? 0) + lengthM / pieces);
    }
  }

  at(level: number): ObservedCells {
    const cells = this.levels.get(level) ?? new Map<number, number>();
    return { cells: Int32Array.from(cells.keys()), weights: Float64Array.from(cells.values()) };
  }
}

function cellOf(longitude: number, latitude: number): number | undefined {
  const { columns, rows, step, west, south } = SCORED_GRID;
  const row = Math.round((latitude - south) / step);
  if (!(row >= 0 && row < rows)) return undefined;
  const column = Math.round((longitude - west) / step);
  return (((column % columns) + columns) % columns) * rows + row;
}

function areaWeighted({ cells }: ObservedCells): ObservedCells {
  const { rows, step, south } = SCORED_GRID;
  const weights = Float64Array.from(cells, (cell) =>
    Math.cos(((south + step * (cell % rows)) * Math.PI) / 180),
  );
  return { cells, weights };
}
