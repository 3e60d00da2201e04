/** Waypoints of flights in order of departure, from tables that need not fit in memory. */
import { type DuckDb, sqlText } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import { columnsOf, requireColumns, sourceOf } from './operator-tables.ts';

/** The waypoints of a flight, strictly increasing in time. */
export interface Track {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly fuelFlowKgS?: Float64Array;
  readonly aircraftMassKg?: Float64Array;
  readonly trueAirspeedMS?: Float64Array;
}

interface TrackFile<Name extends string> {
  readonly name: Name;
  readonly path: string;
  /** Flights that are read; all unless given. */
  readonly keys?: ReadonlySet<string> | undefined;
}

interface ReadTrack<Name extends string> {
  readonly file: Name;
  readonly key: string;
  readonly track: Track;
  /** Waypoints at times that another waypoint has too; they are not used. */
  readonly repeated: number;
}

interface StagedTracks<Name extends string> {
  /** Flights with at least two waypoints. */
  has(file: Name, key: string): boolean;
  keysOf(file: Name): readonly string[];
  /** By the time of the first waypoint. The database takes no other statement until all are read. */
  inOrder(): AsyncGenerator<ReadTrack<Name>>;
}

const POSITIONS = ['flight_key', 'time', 'latitude', 'longitude', 'altitude_ft'];
const GIVEN = {
  fuel_flow_kg_s: 'fuelFlowKgS',
  aircraft_mass_kg: 'aircraftMassKg',
  true_airspeed_m_s: 'trueAirspeedMS',
} as const;
const GIVEN_NAMES = Object.keys(GIVEN) as (keyof typeof GIVEN)[];

/** Reads tables of waypoints into the database, which keeps on disk what does not fit in its memory. */
export async function stageTracks<Name extends string>(
  duckdb: DuckDb,
  files: readonly TrackFile<Name>[],
): Promise<StagedTracks<Name>> {
  const selects: string[] = [];
  for (const [f, { path, keys }] of files.entries()) {
    const columns = await columnsOf(duckdb, path);
    requireColumns(path, columns, POSITIONS);
    const number = (name: string) => `TRY_CAST(${name} AS DOUBLE)`;
    const given = GIVEN_NAMES.map((name) => (columns.includes(name) ? number(name) : 'NULL::DOUBLE'));
    const key = 'CAST(flight_key AS VARCHAR)';
    const isWanted =
      keys === undefined ? '' : `WHERE ${key} IN (${[...keys].map(sqlText).join(', ') || 'NULL'})`;
    selects.push(
      `SELECT ${f} AS f, ${key} AS k, epoch_ms(TRY_CAST(CAST(time AS VARCHAR) AS TIMESTAMP)) AS t, ${['longitude', 'latitude', 'altitude_ft'].map((name, c) => `${number(name)} AS p${c}`).join(', ')}, ${given.map((value, c) => `${value} AS g${c}`).join(', ')} FROM ${sourceOf(path)} ${isWanted}`,
    );
  }
  if (selects.length === 0) return NO_TRACKS;
  await duckdb.run(`CREATE OR REPLACE TEMP TABLE waypoints AS ${selects.join(' UNION ALL ')}`);
  await duckdb.run(
    `CREATE OR REPLACE TEMP TABLE tracks AS SELECT f, k, min(t) AS start, count(DISTINCT t) AS n, count(*) AS waypoints,
       count(*) FILTER (WHERE t IS NULL OR coalesce(NOT isfinite(p0 + p1 + p2), true)) AS incomplete
     FROM waypoints GROUP BY f, k`,
  );
  const found = await duckdb.rows('SELECT f, k, n, waypoints, incomplete FROM tracks ORDER BY f, k');
  const known = files.map(() => new Map<string, number>());
  for (const { f, k, n, waypoints, incomplete } of found) {
    const { path } = files[Number(f)] as TrackFile<Name>;
    if (Number(incomplete) > 0)
      throw new UsageError(
        `${path}: flight ${String(k)} has a waypoint without time, position or altitude; give ISO 8601, degrees and feet`,
      );
    if (Number(n) >= 2) known[Number(f)]?.set(String(k), Number(waypoints) - Number(n));
  }
  const ofFile = (name: Name) => known[files.findIndex((file) => file.name === name)];
  return {
    has: (file, key) => ofFile(file)?.has(key) === true,
    keysOf: (file) => [...(ofFile(file)?.keys() ?? [])],
    async *inOrder() {
      for await (const { f, key, track } of orderedTracks(duckdb))
        yield { file: files[f]?.name as Name, key, track, repeated: known[f]?.get(key) ?? 0 };
    },
  };
}

const NO_TRACKS = { has: () => false, keysOf: () => [], async *inOrder() {} };

async function* orderedTracks(
  duckdb: DuckDb,
): AsyncGenerator<{ readonly f: number; readonly key: string; readonly track: Track }> {
  let points: number[][] = [];
  let last: { readonly f: number; readonly key: string } | undefined;
  const sql = `SELECT k, f, t, p0, p1, p2, ${GIVEN_NAMES.map((_, c) => `g${c}`).join(', ')} FROM waypoints JOIN tracks USING (f, k) WHERE n >= 2 ORDER BY start, f, k, t, p0, p1, p2`;
  for await (const chunk of duckdb.chunks(sql)) {
    const keys = chunk.texts(0);
    const values = Array.from({ length: 5 + GIVEN_NAMES.length }, (_, c) => chunk.numbers(c + 1));
    for (let r = 0; r < chunk.rowCount; r++) {
      const [f = 0, ...point] = values.map((column) => column[r] as number);
      const key = keys[r] ?? '';
      if (last === undefined || last.key !== key || last.f !== f) {
        if (last !== undefined) yield { ...last, track: trackOf(points) };
        last = { f, key };
        points = [];
      }
      if ((point[0] as number) !== points.at(-1)?.[0]) points.push(point);
    }
  }
  if (last !== undefined) yield { ...last, track: trackOf(points) };
}

function trackOf(points: readonly (readonly number[])[]): Track {
  const column = (c: number) => Float64Array.from(points, (point) => point[c] as number);
  const known = GIVEN_NAMES.flatMap((name, g) => {
    const values = column(4 + g);
    return values.some(Number.isNaN) ? [] : [[GIVEN[name], values] as const];
  });
  return {
    timeMs: column(0),
    longitude: column(1),
    latitude: column(2),
    altitudeFt: column(3),
    ...Object.fromEntries(known),
  };
}
