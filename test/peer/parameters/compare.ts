/** Random flights with random parameters through our model and through pycontrails: every waypoint, every row of contrails. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOfRows } from '@contrails/engine/flights/contrail-rows';
import { finishFlight } from '@contrails/engine/flights/finish-flight';
import { followFlights } from '@contrails/engine/flights/follow-flights';
import { outputColumns } from '@contrails/engine/flights/models';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { humidityMethodOf } from '@contrails/engine/flights/parameters';
import { makeEvaluation, prepareFlight } from '@contrails/engine/flights/prepare-flight';
import { withParameters } from '@contrails/engine/flights/read-parameters';
import { type OpenWeather, weatherOf } from '@contrails/met';
import { levelFromAltitudeFt, relativeHumidityIce } from '@contrails/physics/atmosphere';
import { HOUR_MS } from '@contrails/runtime';
import { type PeerFlight, randomFlights } from '../trajectories/flights.ts';
import { prepareWeather } from '../trajectories/weather.ts';
import { type ParameterSet, parameterSets } from './sets.ts';

export interface ParameterComparison {
  readonly version: string;
  readonly flights: number;
  readonly waypoints: number;
  readonly rows: number;
  /** Flights with contrails that live through a step. */
  readonly withContrails: number;
  /** Largest relative deviation of each column, and where. */
  readonly worst: ReadonlyMap<string, { readonly relative: number; readonly where: string }>;
  readonly faults: readonly string[];
  /** Flights that the peer could not evaluate, by their set. */
  readonly stopped: readonly string[];
  /** Processor time of evaluating the flights, by the name of the set. */
  readonly seconds: ReadonlyMap<string, { readonly ours: number; readonly peer: number }>;
}

export interface ComparisonSize {
  readonly flightsPerSet: number;
  /** All parameters alone and as many sets of several, unless given. */
  readonly sets?: readonly ParameterSet[];
  /** Names of the sets that are compared, of all that flights are drawn for. */
  readonly only?: readonly string[];
  readonly resolutionDeg: number;
  readonly seed: number;
}

const FIRST_TIME_MS = Date.UTC(2024, 2, 20);
/** Flights begin within twelve hours, take ten at most, and contrails live for eighteen. */
const HOURS = 41;
const INCLUDES = ['radiation', 'met', 'performance'] as const;

/** What deviates by more is a fault; flags, ages and the set of rows do not deviate at all. */
const LIMIT = 1e-5;
/** Rows of contrails that are about to vanish amplify what their inputs deviate by. */
const ROW_LIMIT = 1e-4;
/** Where values cancel or vanish, a share of the largest value of the flight counts too: 1e-7 of it may deviate. */
const SMALL = 0.01;

const EXACT = {
  sac: ['sac', 1],
  initially_persistent: ['persistent_1', 1],
  contrail_age: ['contrail_age', 60],
} as const;
const CLOSE = {
  energy_forcing: 'ef',
  rf_lw_mean: 'rf_lw_mean',
  rf_sw_mean: 'rf_sw_mean',
  rf_net_mean: 'rf_net_mean',
  sdr_mean: 'sdr_mean',
  rsr_mean: 'rsr_mean',
  olr_mean: 'olr_mean',
  atr20: 'atr20',
  global_yearly_mean_rf: 'global_yearly_mean_rf',
  specific_humidity_scaled: 'specific_humidity',
} as const;
/** Of the segment to the next point: the peer changes them in rows that it has reported already. */
const OF_SEGMENT: readonly string[] = ['segment_length', 'sin_a', 'cos_a', 'dsn_dz'];
/**
 * Of contrails that heat and overlap: the peer reports them with the radiation that the others leave unless waypoints join in the
 * next step, which uses them so in any case. Depth, width and particles of that step are compared.
 */
const OF_STIRRING: readonly string[] = ['diffuse_v', 'dn_dt_turb'];
const PEER_NAMES: Readonly<Record<string, string>> = { energy_forcing: 'ef' };

export async function compareParameters(
  folder: string,
  python: string,
  { flightsPerSet, resolutionDeg, seed, only, sets: drawn = parameterSets(seed) }: ComparisonSize,
): Promise<ParameterComparison> {
  const weather = await prepareWeather(folder, resolutionDeg, [
    FIRST_TIME_MS,
    FIRST_TIME_MS + HOURS * HOUR_MS,
  ]);
  try {
    const all = randomFlights(drawn.length * flightsPerSet, seed, FIRST_TIME_MS / 1000, moistureOf(weather));
    const isCompared = (s: number) => only?.includes(drawn[s]?.name ?? '') ?? true;
    const sets = drawn.filter((_, s) => isCompared(s));
    const flights = all.filter((_, f) => isCompared(Math.floor(f / flightsPerSet)));
    const version = runPeer(folder, python, sets, flights);
    const results = readFileSync(join(folder, 'results.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as PeerAnswer);
    const report = new Report();
    flights.forEach((flight, f) => {
      const set = sets[Math.floor(f / flightsPerSet)] as ParameterSet;
      const { error } = results[f] as PeerAnswer;
      if (error !== undefined) {
        report.stopped.push(`${set.name}: ${error}`);
        return;
      }
      const began = process.cpuUsage();
      const ours = evaluate(weather, set, flight);
      if (hasNoOverlapInPeer(set, flight)) return;
      const { user, system } = process.cpuUsage(began);
      report.addSeconds(set.name, (user + system) / 1e6, results[f]?.seconds ?? 0);
      compareFlight(report, `${set.name}, flight ${f}`, set, ours, results[f] as PeerAnswer, () =>
        readRows(folder, f, results[f] as PeerAnswer),
      );
    });
    const waypoints = flights.reduce((sum, { time }) => sum + time.length, 0);
    return { version, flights: flights.length, waypoints, ...report };
  } finally {
    await weather.close();
  }
}

/** The grid of the peer's overlap ends before the date line, and what is beyond its last node is unknown there. */
const GRID_END_DEG = 178;

function hasNoOverlapInPeer({ parameters }: ParameterSet, { longitude }: PeerFlight): boolean {
  const isOn = parameters.contrail_contrail_overlapping === true;
  return isOn && longitude.some((degrees) => Math.abs(degrees) > GRID_END_DEG - DRIFT_DEG);
}

/** How far contrails of these flights drift. */
const DRIFT_DEG = 15;

interface PeerAnswer {
  readonly id: string;
  readonly seconds: number;
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
  readonly names: readonly string[];
  readonly rows: number;
  /** What stopped the peer. */
  readonly error?: string;
}

function runPeer(
  folder: string,
  python: string,
  sets: readonly ParameterSet[],
  flights: readonly PeerFlight[],
): string {
  writeFileSync(join(folder, 'sets.json'), JSON.stringify(sets));
  writeFileSync(join(folder, 'flights.json'), JSON.stringify(flights));
  return execFileSync(python, [join(import.meta.dirname, 'peer.py'), folder], {
    encoding: 'utf8',
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

function readRows(folder: string, f: number, { names, rows }: PeerAnswer): ReadonlyMap<string, Float64Array> {
  const bytes = readFileSync(join(folder, `contrail-${f}.bin`));
  const values = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return new Map(names.map((name, k) => [name, values.subarray(k * rows, (k + 1) * rows)]));
}

type Ours = ReturnType<typeof evaluate>;

function evaluate(weather: OpenWeather, set: ParameterSet, flight: PeerFlight) {
  const asked = {
    ...DEFAULT_TRAJECTORY_OPTIONS,
    scaling: { name: set.scaling, options: {} },
    includes: INCLUDES,
  };
  const options = withParameters(asked, set.parameters);
  const seen = weatherOf(weather.levels, weather.radiation, humidityMethodOf(set.parameters));
  const evaluation = makeEvaluation('cocip', options, seen, undefined, new Int32Array(1));
  const count = flight.time.length;
  const columns = Object.fromEntries(
    outputColumns('cocip', INCLUDES).map((name) => [name, new Float64Array(count)]),
  );
  const same = (waypoint: number) => waypoint;
  const task = {
    out: columns,
    flight: {
      timeMs: Float64Array.from(flight.time, (seconds) => 1000 * seconds),
      longitude: Float64Array.from(flight.longitude),
      latitude: Float64Array.from(flight.latitude),
      altitudeFt: Float64Array.from(flight.altitudeFt),
    },
    about: { id: flight.id, aircraftType: flight.aircraftType },
    indexInRequest: same,
    indexInAnswer: same,
  };
  const prepared = prepareFlight(task, evaluation);
  const [contrails] = prepared === undefined ? [] : followFlights([prepared], evaluation, () => {});
  const { contrailRows } = finishFlight(prepared, contrails, evaluation);
  return {
    columns: columns as Readonly<Record<string, Float64Array>>,
    rows: contrailRows && columnsOfRows(contrailRows),
  };
}

class Report {
  rows = 0;
  withContrails = 0;
  readonly worst = new Map<string, { relative: number; where: string }>();
  readonly faults: string[] = [];
  readonly stopped: string[] = [];
  readonly seconds = new Map<string, { ours: number; peer: number }>();

  note(what: string, relative: number, where: () => string): void {
    if (relative > (this.worst.get(what)?.relative ?? -1)) this.worst.set(what, { relative, where: where() });
    if (relative > (what.startsWith('row ') ? ROW_LIMIT : LIMIT) && this.faults.length < 200)
      this.faults.push(`${what}: ${relative.toExponential(2)} ${where()}`);
  }

  addSeconds(set: string, ours: number, peer: number): void {
    const before = this.seconds.get(set) ?? { ours: 0, peer: 0 };
    this.seconds.set(set, { ours: before.ours + ours, peer: before.peer + peer });
  }
}

function compareFlight(
  report: Report,
  where: string,
  set: ParameterSet,
  ours: Ours,
  peer: PeerAnswer,
  peerRows: () => ReadonlyMap<string, Float64Array>,
): void {
  const theirs = (name: string, perUnit = 1) =>
    Float64Array.from(peer.columns[name] ?? [], (value) => (value === null ? Number.NaN : value / perUnit));
  const known = ours.columns.rhi as Float64Array;
  for (const [name, [peerName, perUnit]] of Object.entries(EXACT)) {
    const other = theirs(peerName, perUnit).map((value, i) =>
      // The peer leaves the flag open where no contrail forms, and without its filter false outside the weather.
      name === 'initially_persistent' && !(value === 1) ? (Number.isNaN(known[i]) ? Number.NaN : 0) : value,
    );
    compareColumns(report, name, where, ours.columns[name], other, () => Number.MIN_VALUE);
  }
  for (const [name, peerName] of Object.entries(CLOSE)) {
    const other = theirs(peerName);
    const floor = SMALL * largest(other);
    const gross = NET.includes(name) ? grossOf(theirs) : () => 0;
    compareColumns(
      report,
      name,
      where,
      ours.columns[name],
      other,
      (value, i) => Math.abs(value) * (1 + SMALL * gross(i)) + floor,
    );
  }
  if ((ours.rows?.age.length ?? 0) > 0) report.withContrails++;
  compareRows(report, where, set, ours.rows, peerRows());
}

/** Net of longwave and shortwave, which the peer has in single precision. */
const NET = ['energy_forcing', 'atr20', 'global_yearly_mean_rf', 'rf_net_mean'];

/** How many times the net forcing of a waypoint its longwave and shortwave are. */
function grossOf(theirs: (name: string) => Float64Array): (i: number) => number {
  const [longwave, shortwave, net] = ['rf_lw_mean', 'rf_sw_mean', 'rf_net_mean'].map((name) => theirs(name));
  const size = (column: Float64Array | undefined, i: number) => Math.abs(column?.[i] ?? 0) || 0;
  return (i) => (size(net, i) === 0 ? 0 : (size(longwave, i) + size(shortwave, i)) / size(net, i));
}

function compareColumns(
  report: Report,
  name: string,
  where: string,
  ours: Float64Array | undefined,
  theirs: Float64Array,
  scale: (theirs: number, i: number) => number,
  isCompared: (ours: number, theirs: number) => boolean = () => true,
): void {
  if (ours === undefined || ours.length !== theirs.length) {
    report.faults.push(`${name}: ${ours?.length ?? 'no'} values instead of ${theirs.length}, ${where}`);
    return;
  }
  for (let i = 0; i < theirs.length; i++) {
    const [own, other] = [ours[i] as number, theirs[i] as number];
    if (own === other || (Number.isNaN(own) && Number.isNaN(other)) || !isCompared(own, other)) continue;
    const relative = Math.abs(own - other) / scale(other, i);
    report.note(
      name,
      Number.isNaN(relative) ? Number.POSITIVE_INFINITY : relative,
      () => `${own} instead of ${other}, ${where}, ${i}`,
    );
  }
}

function compareRows(
  report: Report,
  where: string,
  { parameters }: ParameterSet,
  ours: Ours['rows'],
  theirs: ReadonlyMap<string, Float64Array>,
): void {
  const count = theirs.get('waypoint')?.length ?? 0;
  report.rows += count;
  if ((ours?.age.length ?? 0) !== count) {
    report.faults.push(`rows: ${ours?.age.length ?? 0} instead of ${count}, ${where}`);
    return;
  }
  if (ours === undefined || count === 0) return;
  const order = (time: Float64Array, waypoint: Float64Array) =>
    Array.from(time, (_, i) => i).sort(
      (a, b) =>
        (time[a] as number) - (time[b] as number) || (waypoint[a] as number) - (waypoint[b] as number),
    );
  const peerTime = theirs.get('time') as Float64Array;
  const peerWaypoint = theirs.get('waypoint') as Float64Array;
  const [own, other] = [order(ours.timeMs, ours.waypoint), order(peerTime, peerWaypoint)];
  const sorted = (column: Float64Array, by: readonly number[]) =>
    Float64Array.from(by, (i) => column[i] as number);
  const exactly = (name: string, a: Float64Array, b: Float64Array) =>
    compareColumns(report, `row ${name}`, where, sorted(a, own), sorted(b, other), () => Number.MIN_VALUE);
  exactly('waypoint', ours.waypoint, peerWaypoint);
  exactly('time', ours.timeMs, peerTime);
  for (const { name, values } of ours.quantities) {
    const column = theirs.get(PEER_NAMES[name] ?? name);
    if (column === undefined) {
      report.faults.push(`row ${name}: the peer has no such column, ${where}`);
      continue;
    }
    // Net forcing is the small difference of two that the peer has in single precision.
    const floor =
      name === 'rf_net'
        ? SMALL * Math.max(largest(theirs.get('rf_lw') ?? column), largest(theirs.get('rf_sw') ?? column))
        : SMALL * largest(column);
    if (
      OF_STIRRING.includes(name) &&
      parameters.radiative_heating_effects &&
      parameters.contrail_contrail_overlapping
    )
      continue;
    const isOfSegment = OF_SEGMENT.includes(name);
    compareColumns(
      report,
      `row ${name}`,
      where,
      sorted(values, own),
      sorted(column, other),
      (value) => Math.abs(value) + floor,
      (a, b) => !isOfSegment || (a !== 0 && b !== 0),
    );
  }
}

function largest(column: Float64Array): number {
  return column.reduce((most, value) => (Number.isNaN(value) ? most : Math.max(most, Math.abs(value))), 0);
}

function moistureOf({ weather }: OpenWeather) {
  const out = Array.from({ length: 4 }, () => new Float64Array(1));
  return (longitude: number, latitude: number, altitudeFt: number, timeS: number): boolean => {
    const level = levelFromAltitudeFt(altitudeFt);
    const point = {
      longitude: Float64Array.of(longitude),
      latitude: Float64Array.of(latitude),
      level: Float64Array.of(level),
      timeMs: Float64Array.of(1000 * timeS),
    };
    weather.sample(out, point, 1);
    const [temperature, , , humidity] = out.map(([value]) => value ?? Number.NaN);
    return relativeHumidityIce(humidity as number, temperature as number, 100 * level) > 1.02;
  };
}
