/** One cycle: the legs of all airframes through the models, and what is in the sky at given times. */
import { atOnce, HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';
import { kernelAt } from '../compute.ts';
import type { StateTimes } from '../flights/contrail-states.ts';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from '../flights/options.ts';
import type { AirframeTable } from '../inventory/aircraft.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import { type AirframeTrack, type PackedTrack, packTracks } from './airframe-track.ts';
import { type ContrailFeature, type ContrailSums, contrailRuns } from './contrail-runs.ts';
import {
  type Ahead,
  aheadOf,
  type FlightFeature,
  flightFeature,
  type KnownFlight,
  pastFeature,
} from './flight-features.ts';
import { copyOfMinutes, type LegMinutes, type LiveLeg, minutesSince, releaseMinutes } from './legs.ts';
import { minutesAhead, motionOf } from './motion.ts';
import {
  aircraftOf,
  CYCLE_COLUMNS,
  chooseRun,
  type LiveRun,
  type LiveServices,
  type RunHooks,
  type RunLeg,
  runLegs,
} from './run-legs.ts';
import { type LiveSummary, summaryOf } from './summary.ts';
import type { LiveTracks } from './tracks.ts';

export interface LiveSettings {
  readonly windowMs: number;
  readonly staleAfterMs: number;
  readonly options: TrajectoryOptions;
  readonly airframes: AirframeTable;
}

/** What is in the sky at a time. */
export interface LiveSky {
  readonly timeMs: number;
  readonly flights: readonly FlightFeature[];
  readonly contrails: readonly ContrailFeature[];
}

export interface LiveCycle extends LiveSky {
  readonly summary: LiveSummary;
  /** Undefined without weather. */
  readonly run: LiveRun | undefined;
  /** The same of earlier minutes that were asked for. */
  readonly past: readonly LiveSky[];
}

/** One flight with its minutes; columns are those of `POST /v0/trajectory/cocip`. */
export interface LiveFlight {
  readonly feature: FlightFeature;
  readonly minutes: LegMinutes | undefined;
  readonly columns: RunLeg['columns'] | undefined;
  readonly contrails: readonly ContrailFeature[];
}

const LEGS = kernelAt<typeof import('./legs.kernel.ts').default>(
  new URL('./legs.kernel.ts', import.meta.url),
);
const TRACKS_PER_BLOCK = 32;
/** What threads are given at once: it bounds the memory of results, which are described and forgotten part by part. */
const TRACKS_OF_PART = 128;
const FLIGHTS_OF_PART = 128;
/** While one part is described, threads have another. */
const PARTS_AT_ONCE = 2;

/** The options of `POST /v0/trajectory/cocip`. */
export function liveOptions(scaling: HumidityScalingChoice): TrajectoryOptions {
  return { ...DEFAULT_TRAJECTORY_OPTIONS, scaling: { name: scaling, options: {} } };
}

/** Remembers legs from cycle to cycle: those without new reports are not built again, and ended ones not run again. */
export class LiveState {
  readonly tracks: LiveTracks;
  readonly #settings: LiveSettings;
  readonly #legs = new Map<string, BuiltTrack>();
  /** Until when contrails of a leg that has ended live [ms since 1970]. */
  readonly #endMs = new Map<string, number>();
  /** Copies of reports that no thread reads any more: new ones for each part would fill the memory faster than it is collected. */
  readonly #copies: SharedArrayBuffer[] = [];

  constructor(tracks: LiveTracks, settings: LiveSettings) {
    this.tracks = tracks;
    this.#settings = settings;
  }

  /** Gives flights the ids that another process has published, which may have known less of them at first. */
  recall(flights: Iterable<FlightFeature>): void {
    for (const { properties } of flights) {
      const flight = {
        flightId: properties.id,
        firstMs: Date.parse(properties.first_seen),
        lastMs: Date.parse(properties.last_seen),
      };
      const { revision = NOT_BUILT, legs = [], known = [] } = this.#legs.get(properties.icao_address) ?? {};
      const others = known.filter(
        ({ flightId, firstMs, lastMs }) =>
          flightId !== flight.flightId && (firstMs > flight.lastMs || lastMs < flight.firstMs),
      );
      this.#legs.set(properties.icao_address, { revision, legs, known: [...others, flight] });
    }
  }

  /** The legs of an airframe as they are known now. */
  async legsOf(icaoAddress: string, services: Pick<LiveServices, 'compute'>): Promise<readonly LiveLeg[]> {
    const track = this.tracks.get(icaoAddress);
    if (track === undefined) return [];
    // A cycle releases its own, maybe between these two steps.
    do await this.#build([track], services, {});
    while (track.count > 0 && this.#legs.get(icaoAddress)?.revision === NOT_BUILT);
    return (this.#legs.get(icaoAddress)?.legs ?? []).map((leg) => ({
      ...leg,
      minutes: leg.minutes && copyOfMinutes(leg.minutes),
    }));
  }

  /** All that is known of one flight, in a run of the weather; undefined for a flight without an id or minutes. */
  async flight(
    services: LiveServices,
    { icaoAddress, flightId }: { readonly icaoAddress: string; readonly flightId: string },
    run: LiveRun | undefined,
    nowMs: number,
    hooks: RunHooks = {},
  ): Promise<LiveFlight | undefined> {
    const legs = await this.legsOf(icaoAddress, services);
    const leg = legs.find((one) => one.flightId === flightId);
    if (leg === undefined) return undefined;
    const track = leg === legs.at(-1) ? this.tracks.get(icaoAddress) : undefined;
    const aircraft = aircraftOf(leg, this.#settings.airframes);
    const minutes = leg.minutes && minutesSince(leg.minutes, nowMs - this.#settings.windowMs);
    const toRun =
      minutes !== undefined && minutes.timeMs.length > 1 && aircraft ? { minutes, aircraft } : undefined;
    const options = { ...this.#settings.options, contrailsAt: { atMs: [nowMs] } };
    const met = run && (await services.met.open());
    const [result] =
      run && met && toRun ? await runLegs(met, services.compute, [toRun], run, options, hooks) : [];
    const minutesOfAhead = this.#minutesAhead(track, nowMs);
    const known = { leg, track, toRun, result, aircraft, ahead: minutesOfAhead };
    const ahead = await this.#runAhead(services, [known], run, hooks);
    const feature = flightFeature(known, ahead.get(flightId), nowMs, this.#settings);
    if (feature === undefined) return undefined;
    const sums = { lengthM: 0, coverM2: 0, netForcingW: 0 };
    const contrails = runsAt(known, 0, nowMs, sums);
    return { feature, minutes: toRun?.minutes, columns: result?.columns, contrails };
  }

  async run(
    services: LiveServices,
    nowMs: number,
    pastMs: readonly number[] = [],
    hooks: RunHooks = {},
  ): Promise<LiveCycle> {
    const { windowMs, options } = this.#settings;
    const sinceMs = nowMs - windowMs;
    this.tracks.forget(sinceMs);
    this.#forget();
    await atOnce(
      PARTS_AT_ONCE,
      partsOf([...this.tracks.all()], TRACKS_OF_PART),
      (tracks, _, signal) => this.#build(tracks, services, { signal }),
      hooks.signal,
    );
    const hourAgoMs = nowMs - HOUR_MS;
    const timesMs = [...new Set([...pastMs, nowMs])].sort((a, b) => a - b);
    const known = await this.#flightsSince(sinceMs, hourAgoMs, nowMs);
    const met = await services.met.open();
    const legs = known.flatMap(({ toRun, ahead }) => [toRun, ahead && { minutes: ahead }]);
    const run = await chooseRun(
      met,
      legs.filter((leg) => leg !== undefined),
      [sinceMs, nowMs],
      options,
    );
    const parts: PartOfSky[] = [];
    await atOnce(
      PARTS_AT_ONCE,
      // Where memory is too small for the weather of all, that of neighbours is read together.
      partsOf(known.sort(fromWest), FLIGHTS_OF_PART),
      async (part, index, signal) => {
        const contrailsAt = { atMs: timesMs, energyToMs: hourAgoMs };
        const hooksOfPart = { signal, columns: CYCLE_COLUMNS };
        const flights = await this.#runPart(services, part, run, contrailsAt, hooksOfPart);
        const ahead = await this.#runAhead(services, flights, run, hooksOfPart);
        parts[index] = await this.#describe(flights, ahead, timesMs, nowMs);
        for (const { leg, toRun } of part) if (toRun !== undefined) this.#release(leg);
      },
      hooks.signal,
    );
    return this.#join(parts, run, nowMs);
  }

  /** What the models find of some flights. */
  async #runPart(
    { met, compute }: LiveServices,
    part: readonly FlightToRun[],
    run: LiveRun | undefined,
    contrailsAt: StateTimes,
    hooks: RunHooks,
  ): Promise<FlightOfPart[]> {
    const legs = part.flatMap(({ toRun }) => toRun ?? []);
    const options = { ...this.#settings.options, contrailsAt };
    const results =
      run === undefined ? [] : await runLegs(await met.open(), compute, legs, run, options, hooks);
    let next = 0;
    return part.map((one) => {
      const result = one.toRun === undefined ? undefined : results[next++];
      if (result !== undefined) this.#endMs.set(one.leg.flightId, result.states?.endMs ?? Number.NaN);
      return { ...one, result };
    });
  }

  async #build(
    tracks: readonly AirframeTrack[],
    { compute }: Pick<LiveServices, 'compute'>,
    { signal }: RunHooks,
  ): Promise<void> {
    const changed = tracks.filter(
      (track) => this.#legs.get(track.icaoAddress)?.revision !== track.revision && track.count > 0,
    );
    if (changed.length === 0) return;
    const revisions = changed.map(({ revision }) => revision);
    const packed = packTracks(changed, this.#copies.pop());
    const input = changed.map(({ icaoAddress, isTruncated }, k) => ({
      ...(packed[k] as PackedTrack),
      isTruncated,
      known: this.#legs.get(icaoAddress)?.known ?? [],
    }));
    const blocks = Math.ceil(input.length / TRACKS_PER_BLOCK);
    const task = { tracks: input, tracksPerBlock: TRACKS_PER_BLOCK };
    const built = (await compute.parallel(LEGS, task, blocks, signal ? { signal } : {})).flat();
    if (packed[0] !== undefined) this.#copies.push(packed[0].buffer);
    changed.forEach((track, k) => {
      const legs = built[k] ?? [];
      const known = legs.map(({ flightId, firstMs, lastMs }) => ({ flightId, firstMs, lastMs }));
      this.#legs.set(track.icaoAddress, { revision: revisions[k] as number, legs, known });
    });
  }

  /** Minutes of all legs would use the most memory after reports; the next cycle builds them again. */
  #release(leg: LiveLeg): void {
    const built = this.#legs.get(leg.icaoAddress);
    if (built?.legs.includes(leg)) this.#legs.set(leg.icaoAddress, { ...built, revision: NOT_BUILT });
    releaseMinutes(leg);
  }

  /** The flight of each airframe, and earlier legs whose contrails lived within the last hour. */
  async #flightsSince(sinceMs: number, hourAgoMs: number, nowMs: number): Promise<FlightToRun[]> {
    const { airframes } = this.#settings;
    const found: FlightToRun[] = [];
    let airframe = 0;
    for (const [icaoAddress, { legs }] of this.#legs) {
      if (++airframe % TRACKS_OF_PART === 0) await nextTurn();
      const track = this.tracks.get(icaoAddress);
      legs.forEach((leg, index) => {
        const isCurrent = index === legs.length - 1;
        const endMs = this.#endMs.get(leg.flightId);
        const isOver = leg.lastMs < nowMs - this.#settings.staleAfterMs || !isCurrent;
        const isSpent = isOver && endMs !== undefined && !(endMs >= hourAgoMs);
        const minutes = leg.minutes && minutesSince(leg.minutes, sinceMs);
        const aircraft = aircraftOf(leg, airframes);
        const canRun = minutes !== undefined && minutes.timeMs.length > 1 && aircraft !== undefined;
        const toRun = canRun && !isSpent ? { minutes, aircraft } : undefined;
        const ahead = isCurrent && toRun ? this.#minutesAhead(track, nowMs) : undefined;
        if (isCurrent || toRun !== undefined)
          found.push({ leg, track: isCurrent ? track : undefined, toRun, aircraft, ahead });
      });
    }
    return found;
  }

  #minutesAhead(track: AirframeTrack | undefined, nowMs: number): LegMinutes | undefined {
    const { newest } = track ?? {};
    if (track === undefined || newest === undefined || track.groundMs > newest.timeMs) return undefined;
    if (nowMs - newest.timeMs > this.#settings.staleAfterMs) return undefined;
    const motion = motionOf(track);
    return motion && minutesAhead(newest, motion);
  }

  async #runAhead(
    { met, compute }: LiveServices,
    flights: readonly FlightOfPart[],
    run: LiveRun | undefined,
    hooks: RunHooks,
  ): Promise<ReadonlyMap<string, Ahead>> {
    const going = flights.flatMap(({ leg, aircraft, result, ahead }) => {
      const massKg = result?.columns.aircraft_mass?.findLast((mass) => !Number.isNaN(mass));
      if (ahead === undefined || aircraft === undefined || massKg === undefined) return [];
      return { flightId: leg.flightId, toRun: { minutes: ahead, aircraft, massKg } };
    });
    if (run === undefined || going.length === 0) return new Map();
    const legs = going.map(({ toRun }) => toRun);
    const results = await runLegs(await met.open(), compute, legs, run, this.#settings.options, hooks);
    return new Map(
      going.flatMap(({ flightId, toRun }, k) => {
        const result = results[k];
        return result === undefined ? [] : [[flightId, aheadOf(toRun.minutes, result)]];
      }),
    );
  }

  async #describe(
    flights: readonly KnownFlight[],
    ahead: ReadonlyMap<string, Ahead>,
    timesMs: readonly number[],
    nowMs: number,
  ): Promise<PartOfSky> {
    const now = timesMs.length - 1;
    const sums: ContrailSums = { lengthM: 0, coverM2: 0, netForcingW: 0 };
    const features: FlightFeature[] = [];
    const contrails: ContrailFeature[] = [];
    let lastHourJ = 0;
    for (const flight of flights) {
      const feature = flightFeature(flight, ahead.get(flight.leg.flightId), nowMs, this.#settings);
      if (feature !== undefined) features.push(feature);
      const { totals, energyBefore = 0 } = flight.result?.states ?? {};
      lastHourJ += (totals?.[now] ?? 0) - energyBefore;
      contrails.push(...runsAt(flight, now, nowMs, sums));
    }
    const past: LiveSky[] = [];
    for (const [at, timeMs] of timesMs.slice(0, -1).entries()) {
      await nextTurn();
      past.push({
        timeMs,
        flights: flights.flatMap((flight) => pastFeature(flight, at, timeMs) ?? []),
        contrails: flights.flatMap((flight) => runsAt(flight, at, timeMs, { ...sums })),
      });
    }
    return { flights: features, contrails, past, sums, lastHourJ };
  }

  #join(parts: readonly PartOfSky[], run: LiveRun | undefined, nowMs: number): LiveCycle {
    const total = (of: (part: PartOfSky) => number) => parts.reduce((sum, part) => sum + of(part), 0);
    const flights = parts.flatMap((part) => part.flights);
    const sums = {
      lengthM: total((part) => part.sums.lengthM),
      coverM2: total((part) => part.sums.coverM2),
      netForcingW: total((part) => part.sums.netForcingW),
    };
    const lastHourJ = total((part) => part.lastHourJ);
    return {
      timeMs: nowMs,
      flights,
      contrails: parts.flatMap((part) => part.contrails),
      past: (parts[0]?.past ?? []).map(({ timeMs }, k) => ({
        timeMs,
        flights: parts.flatMap((part) => part.past[k]?.flights ?? []),
        contrails: parts.flatMap((part) => part.past[k]?.contrails ?? []),
      })),
      run,
      summary: summaryOf(flights, sums, { nowMs, run, lastHourJ, evicted: this.tracks.evicted }),
    };
  }

  #forget(): void {
    for (const [icaoAddress, { legs }] of this.#legs) {
      if (this.tracks.get(icaoAddress) !== undefined) continue;
      this.#legs.delete(icaoAddress);
      for (const { flightId } of legs) this.#endMs.delete(flightId);
    }
  }
}

/** A leg, and the half hour ahead of one that is being flown. */
interface FlightToRun extends Omit<KnownFlight, 'result'> {
  readonly ahead: LegMinutes | undefined;
}

type FlightOfPart = FlightToRun & KnownFlight;

/** What is in the sky of some flights. */
interface PartOfSky extends Omit<LiveSky, 'timeMs'> {
  readonly past: readonly LiveSky[];
  readonly sums: ContrailSums;
  readonly lastHourJ: number;
}

/** Legs of no revision of the reports, or without their minutes. */
const NOT_BUILT = -1;

interface BuiltTrack {
  readonly revision: number;
  readonly legs: readonly LiveLeg[];
  readonly known: readonly Pick<LiveLeg, 'flightId' | 'firstMs' | 'lastMs'>[];
}

function runsAt({ leg, toRun, result }: KnownFlight, at: number, atMs: number, sums: ContrailSums) {
  const energyForcing = result?.columns.energy_forcing;
  if (toRun === undefined || result?.states === undefined || energyForcing === undefined) return [];
  const { timeMs } = toRun.minutes;
  return contrailRuns(
    { flightId: leg.flightId, timeMs, energyForcing, states: result.states, at, atMs },
    sums,
  );
}

function partsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, k) =>
    items.slice(k * size, (k + 1) * size),
  );
}

/** Whole minutes of the window before a time, the newest first. */
export function pastMinutes(nowMs: number, windowMs: number): number[] {
  const newest = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: Math.floor(windowMs / MINUTE_MS) }, (_, k) => newest - k * MINUTE_MS);
}

function fromWest(one: FlightToRun, other: FlightToRun): number {
  const longitudeOf = ({ toRun, ahead }: FlightToRun) => (toRun?.minutes ?? ahead)?.longitude[0] ?? 0;
  return longitudeOf(one) - longitudeOf(other);
}
