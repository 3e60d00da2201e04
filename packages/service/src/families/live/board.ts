/** What this process knows of the sky: reports as they come, and the newest cycle of whichever process computes. */

import { setTimeout as pause } from 'node:timers/promises';
import type { LiveSettings } from '@contrails/engine/live/cycle';
import { LiveState, liveOptions } from '@contrails/engine/live/cycle';
import { type FlightFeature, movedFeature } from '@contrails/engine/live/flight-features';
import { LiveTracks } from '@contrails/engine/live/tracks';
import type { Database } from '@contrails/platform/database';
import type { Log } from '@contrails/platform/log';
import { SECOND_MS } from '@contrails/runtime';
import { loadAirframes } from '../../inventory-store/airframes.ts';
import type { Services } from '../../services.ts';
import { ReportTail } from '../../telemetry-store/new-reports.ts';
import { type LiveConfig, type LiveRules, liveRules } from './config.ts';
import { type PublishedSky, readRow, readSky } from './published.ts';
import { StreamHub } from './stream.ts';

export type BoardLog = Pick<Log, 'warn'>;

type BoardServices = Pick<Services, 'database' | 'store'>;

const LOOK_MS = SECOND_MS;

const boards = new WeakMap<Database, { readonly board: Promise<LiveBoard>; users: number }>();

/** The one of this process, which server and worker share; it stops when the last of them releases it. */
export async function openBoard(
  services: BoardServices,
  config: LiveConfig,
  log: BoardLog,
): Promise<{ readonly board: LiveBoard; release(): Promise<void> }> {
  const { database } = services;
  const shared = boards.get(database) ?? { board: LiveBoard.start(services, config, log), users: 0 };
  boards.set(database, shared);
  shared.users++;
  const board = await shared.board;
  let isReleased = false;
  return {
    board,
    async release() {
      if (isReleased) return;
      isReleased = true;
      if (--shared.users > 0) return;
      boards.delete(database);
      await board.stop();
    },
  };
}

/** For metrics: that of a process which has one. */
export async function knownBoard(database: Database): Promise<LiveBoard | undefined> {
  return boards.get(database)?.board;
}

export class LiveBoard {
  readonly rules: LiveRules;
  readonly state: LiveState;
  readonly hub: StreamHub;
  sky: PublishedSky | undefined;
  readonly #services: BoardServices;
  readonly #log: BoardLog;
  readonly #tail: ReportTail;
  readonly #stopping = new AbortController();
  #flights = new Map<string, FlightFeature>();
  #following: Promise<void> = Promise.resolve();
  #hasReports: Promise<void>;
  #forgotMs = Number.NEGATIVE_INFINITY;

  static async start(services: BoardServices, config: LiveConfig, log: BoardLog): Promise<LiveBoard> {
    const rules = liveRules(config);
    const airframes = await loadAirframes(services.database);
    const options = liveOptions(config.met.humidity_scaling);
    return new LiveBoard(services, rules, { ...rules, options, airframes }, log);
  }

  private constructor(services: BoardServices, rules: LiveRules, settings: LiveSettings, log: BoardLog) {
    this.rules = rules;
    this.#services = services;
    this.#log = log;
    this.#tail = new ReportTail(services);
    this.state = new LiveState(new LiveTracks(rules.memoryBytes, rules.box), settings);
    this.hub = new StreamHub(rules.maxClients);
    let ready = () => {};
    this.#hasReports = new Promise((resolve) => {
      ready = resolve;
    });
    this.#following = this.#follow(ready);
  }

  /** Resolves when the reports of the last hours are read again. */
  get hasReports(): Promise<void> {
    return this.#hasReports;
  }

  /** Flights of the newest cycle where they were reported last. */
  get flights(): ReadonlyMap<string, FlightFeature> {
    return this.#flights;
  }

  /** Takes a cycle of this or another process; resolves when its changes are on their way to clients. */
  async show(sky: PublishedSky): Promise<void> {
    this.sky = sky;
    const nowMs = Date.now();
    const flights = sky.flights.map((feature) => this.#newest(feature, nowMs));
    this.#flights = new Map(flights.map((feature) => [feature.properties.icao_address, feature]));
    await this.hub.show({ ...sky, flights });
  }

  /** A flight of a cycle where it was reported last, which may have been while the cycle was computed. */
  #newest(feature: FlightFeature, nowMs: number): FlightFeature {
    const { icao_address, last_seen } = feature.properties;
    const track = this.state.tracks.get(icao_address);
    if (track === undefined || track.lastSeenMs < Date.parse(last_seen) + SECOND_MS) return feature;
    return movedFeature(feature, track, nowMs, this.rules.staleAfterMs) ?? feature;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.hub.close();
    await this.#following;
  }

  async #follow(ready: () => void): Promise<void> {
    const { signal } = this.#stopping;
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        await this.#look();
        ready();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !signal.aborted)
          this.#log.warn({ err: error }, 'live reports cannot be read; this is tried again');
        hasFailed = true;
      }
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    ready();
  }

  async #look(): Promise<void> {
    const { database, store } = this.#services;
    const row = await readRow(database);
    if (row?.key != null && row.cycle > (this.sky?.cycle ?? 0)) {
      const sky = await readSky(store, row.key);
      if (sky !== undefined && sky.cycle > (this.sky?.cycle ?? 0)) {
        this.state.recall(sky.flights);
        await this.show(sky);
      }
    }
    const nowMs = Date.now();
    const sinceMs = nowMs - this.rules.windowMs;
    const changed = new Set<string>();
    await this.#tail.look(sinceMs, nowMs, {
      reports: (block) => {
        for (const address of this.state.tracks.add(block, sinceMs)) changed.add(address);
      },
      ground: (block) => {
        for (const address of this.state.tracks.addGround(block, sinceMs)) changed.add(address);
      },
    });
    // A process that computes forgets in each cycle too; one that only serves would keep reports for ever.
    if (nowMs - this.#forgotMs >= this.rules.intervalMs) {
      this.state.tracks.forget(sinceMs);
      this.#forgotMs = nowMs;
    }
    await this.#move(changed, nowMs);
  }

  async #move(changed: ReadonlySet<string>, nowMs: number): Promise<void> {
    const moved: FlightFeature[] = [];
    for (const address of changed) {
      const track = this.state.tracks.get(address);
      const feature = this.#flights.get(address);
      if (track === undefined || feature === undefined) continue;
      const next = movedFeature(feature, track, nowMs, this.rules.staleAfterMs);
      if (next === undefined) continue;
      this.#flights.set(address, next);
      moved.push(next);
    }
    await this.hub.move(moved);
  }
}
