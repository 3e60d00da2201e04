/** Clients that follow the sky: each gets what has changed within its box. */
import { Readable } from 'node:stream';
import type { BoundingBox } from '@contrails/engine/grid/layout';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import type { LiveSummary } from '@contrails/engine/live/summary';
import { createLimiter, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { inTurns, type Work } from '@contrails/runtime/turns';
import { ByCell, cellsOf, cellsOfBox, isInBox } from './boxes.ts';
import type { PublishedSky } from './published.ts';

export const TOPICS = ['flights', 'contrails', 'summary'] as const;
export type Topic = (typeof TOPICS)[number];

export interface StreamRequest {
  readonly box: BoundingBox | undefined;
  readonly topics: ReadonlySet<Topic>;
  /** `Last-Event-ID`: cycle and time of the last event that the client has. */
  readonly lastEventId: string | undefined;
}

/** What waits for one client at most [bytes]; beyond it, updates are dropped and a snapshot follows. */
const MAX_WAITING_BYTES = 4 * 2 ** 20;
/** Snapshots and large updates go out in pieces, each when the one before it has been taken. */
const PIECE_FEATURES = 500;
/** While more than this waits in the stream of a client, changes wait as ids. */
const BUSY_BYTES = 2 ** 18;
/** Beyond so many ids updates are dropped and a snapshot follows. */
const MAX_WAITING_IDS = 50_000;
const RESUME_MS = 5 * MINUTE_MS;
/** Servers' clocks differ: changes this shortly before the last event are sent again. */
const CLOCK_MARGIN_MS = 2 * SECOND_MS;
const COMMENT_MS = 15 * SECOND_MS;
/** Work on a feature, and on a client, in values that are read. */
const VALUES_PER_FEATURE = 32;
const VALUES_PER_CLIENT = 1024;

type Kind = 'flights' | 'contrails';

/** A feature as it is sent; made once for all clients. */
interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly feature: FlightFeature | ContrailFeature;
  readonly json: string;
  readonly cells: readonly number[];
  readonly changedMs: number;
}

interface Removal {
  readonly id: string;
  readonly kind: Kind;
  readonly timeMs: number;
}

export class StreamHub {
  readonly #maxClients: number;
  readonly #now: () => number;
  readonly #clients = new Set<Client>();
  readonly #byCell = new ByCell<Client>();
  readonly #entries = new Map<string, Entry>();
  readonly #oneAtATime = createLimiter(1);
  #removals: Removal[] = [];
  #summary: LiveSummary | null = null;
  #cycle = 0;
  /** Since when changes are known here [ms since 1970]. */
  #sinceMs = Number.POSITIVE_INFINITY;
  #isClosed = false;
  readonly #comments: NodeJS.Timeout;
  /** Updates of which something was dropped because a client reads slowly. */
  dropped = 0;

  constructor(maxClients: number, now = Date.now) {
    this.#maxClients = maxClients;
    this.#now = now;
    this.#comments = setInterval(() => {
      for (const client of this.#clients) client.comment();
    }, COMMENT_MS).unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Undefined when there are as many clients as there may be. */
  connect(request: StreamRequest): Readable | undefined {
    if (this.#clients.size >= this.#maxClients || this.#isClosed) return undefined;
    const client = new Client(request, this);
    this.#clients.add(client);
    this.#byCell.add(client, client.cells);
    client.stream.once('close', () => {
      this.#clients.delete(client);
      this.#byCell.remove(client, client.cells);
    });
    const lastMs = resumeTime(request.lastEventId);
    if (lastMs !== undefined && lastMs >= this.#sinceMs && this.#now() - lastMs <= RESUME_MS)
      this.#resume(client, lastMs - CLOCK_MARGIN_MS);
    else client.beginSnapshot();
    return client.stream;
  }

  /** Takes a new cycle, in turns with other work, and sends clients what it changes. */
  async show(sky: PublishedSky): Promise<void> {
    await this.#oneAtATime(() => inTurns(this.#show(sky)));
  }

  /** Flights that have moved. */
  async move(flights: readonly FlightFeature[]): Promise<void> {
    await inTurns(this.#move(flights));
  }

  *#show(sky: PublishedSky): Work<void> {
    const startMs = this.#now();
    this.#cycle = sky.cycle;
    this.#sinceMs = Math.min(this.#sinceMs, startMs);
    const present = new Set<string>();
    for (const kind of ['flights', 'contrails'] as const) {
      for (const feature of sky[kind]) {
        present.add(feature.id);
        // A flight that has moved since is newer than the cycle.
        const { changedMs = startMs } = this.#entries.get(feature.id) ?? {};
        if (changedMs <= startMs) this.#put(kind, feature);
        yield VALUES_PER_FEATURE;
      }
    }
    this.#removals = this.#removals.filter(({ timeMs }) => startMs - timeMs <= RESUME_MS);
    for (const { id, kind, cells } of this.#entries.values()) {
      yield 1;
      if (present.has(id)) continue;
      this.#entries.delete(id);
      this.#removals.push({ id, kind, timeMs: this.#now() });
      this.#byCell.forEachAt(cells, (client) => client.leave(id, kind));
    }
    this.#summary = sky.summary;
    yield* this.#flush(sky.summary);
  }

  *#move(flights: readonly FlightFeature[]): Work<void> {
    for (const feature of flights) {
      if (this.#entries.has(feature.id)) this.#put('flights', feature);
      yield VALUES_PER_FEATURE;
    }
    yield* this.#flush(null);
  }

  *#flush(summary: LiveSummary | null): Work<void> {
    for (const client of this.#clients) {
      if (this.#isClosed) return;
      client.flush(summary, this.eventId());
      yield VALUES_PER_CLIENT;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#comments);
    for (const client of this.#clients) client.stream.push(null);
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  get summary(): LiveSummary | null {
    return this.#summary;
  }

  eventId(): string {
    return `${this.#cycle}-${this.#now()}`;
  }

  /** Keeps a feature; where it has changed, the clients that have or want it take note. */
  #put(kind: Kind, feature: FlightFeature | ContrailFeature): void {
    const json = JSON.stringify(feature);
    const before = this.#entries.get(feature.id);
    if (before?.json === json) return;
    const entry = { id: feature.id, kind, feature, json, cells: cellsOf(feature), changedMs: this.#now() };
    this.#entries.set(feature.id, entry);
    const note = (client: Client) => client.note(entry);
    if (before !== undefined) this.#byCell.forEachAt(before.cells, note);
    this.#byCell.forEachAt(entry.cells, note);
  }

  #resume(client: Client, sinceMs: number): void {
    const changed = [...this.#entries.values()].filter(({ changedMs }) => changedMs >= sinceMs);
    const removed = this.#removals.filter(({ timeMs, id }) => timeMs >= sinceMs && !this.#entries.has(id));
    client.resume(changed, removed, this.#entries.values(), this.#summary);
  }
}

function resumeTime(lastEventId: string | undefined): number | undefined {
  const [, time] = /^\d+-(\d+)$/.exec(lastEventId ?? '') ?? [];
  return time === undefined ? undefined : Number(time);
}

/**
 * One client. Events go out as it takes them: what changes while it is busy waits as ids, and is sent in its newest state.
 * Only the last of several events has an id, so a client that connects again is sent what it has missed.
 */
class Client {
  readonly stream: Readable;
  /** Those that its box touches; without a box, all of them. */
  readonly cells: ReadonlySet<number> | undefined;
  readonly #request: StreamRequest;
  readonly #hub: StreamHub;
  /** Ids of what the client has, or is owed. */
  readonly #has = new Set<string>();
  /** What has changed and what is gone since it was sent. */
  readonly #changed = new Set<string>();
  readonly #gone = new Map<string, Kind>();
  #noted: Entry | undefined;
  /** Since the last `flush`: whether something has changed, and whether something that had not been sent has. */
  #isNoted = false;
  #isLate = false;
  #owesSummary = false;
  /** The rest of the snapshot in progress. */
  #snapshot: Iterator<readonly Entry[]> | undefined;
  #isFirstPiece = false;
  /** Whether updates were dropped, so a snapshot has to follow. */
  #isBehind = false;
  #eventId = '';

  constructor(request: StreamRequest, hub: StreamHub) {
    this.#request = request;
    this.#hub = hub;
    this.cells = request.box && cellsOfBox(request.box);
    this.stream = new Readable({ read: () => this.#continue() });
  }

  comment(): void {
    if (this.stream.readableLength < MAX_WAITING_BYTES) this.stream.push(': still here\n\n');
  }

  beginSnapshot(): void {
    this.#clear();
    this.#isBehind = false;
    this.#isFirstPiece = true;
    this.#eventId = this.#hub.eventId();
    this.#snapshot = this.#pieces();
    this.#continue();
  }

  resume(
    changed: readonly Entry[],
    removed: readonly Removal[],
    all: Iterable<Entry>,
    summary: LiveSummary | null,
  ): void {
    for (const entry of all) if (this.#wants(entry)) this.#has.add(entry.id);
    for (const { id } of [...removed, ...changed]) this.#has.add(id);
    for (const { id, kind } of removed) this.leave(id, kind);
    for (const entry of changed) this.note(entry);
    this.flush(summary, this.#hub.eventId());
  }

  /** Takes note of something that has changed; `flush` sends it. */
  note(entry: Entry): void {
    if (this.#noted === entry) return;
    this.#noted = entry;
    const { id } = entry;
    if (this.#isBehind) {
      this.#isNoted = true;
      this.#isLate = true;
    } else if (!this.#wants(entry)) this.leave(id, entry.kind);
    else {
      this.#isNoted = true;
      this.#isLate ||= this.#changed.has(id);
      this.#has.add(id);
      this.#gone.delete(id);
      this.#changed.add(id);
    }
  }

  leave(id: string, kind: Kind): void {
    if (!this.#has.delete(id)) return;
    this.#isNoted = true;
    this.#changed.delete(id);
    this.#gone.set(id, kind);
  }

  /** Sends what was noted, or as much as the client takes. */
  flush(summary: LiveSummary | null, eventId: string): void {
    if (!this.#isNoted && summary === null) return;
    this.#isNoted = false;
    this.#eventId = eventId;
    this.#owesSummary ||= summary !== null && this.#request.topics.has('summary');
    if (this.#isLate) this.#hub.dropped++;
    this.#isLate = false;
    const isFull = this.stream.readableLength > MAX_WAITING_BYTES;
    if (this.#isBehind || isFull || this.#changed.size + this.#gone.size > MAX_WAITING_IDS) {
      this.#isBehind = true;
      this.#clear();
    } else if (this.#snapshot === undefined && this.stream.readableLength < BUSY_BYTES) this.#sendPiece();
  }

  #clear(): void {
    this.#has.clear();
    this.#changed.clear();
    this.#gone.clear();
    this.#snapshot = undefined;
  }

  #wants({ kind, feature, cells }: Entry): boolean {
    const mayLieHere = this.cells === undefined || cells.some((cell) => this.cells?.has(cell));
    return mayLieHere && this.#request.topics.has(kind) && isInBox(feature, this.#request.box);
  }

  /** Goes on when the client has taken what was sent. */
  #continue(): void {
    if (this.#isBehind) {
      this.beginSnapshot();
      return;
    }
    const next = this.#snapshot?.next();
    if (next === undefined || next.done === true) {
      this.#snapshot = undefined;
      this.#sendPiece();
      return;
    }
    for (const { id } of next.value) this.#has.add(id);
    const isLast = next.value.length < PIECE_FEATURES;
    if (isLast) {
      this.#snapshot = undefined;
      this.#owesSummary = this.#request.topics.has('summary') && this.#hub.summary !== null;
    }
    const isAll = isLast && this.#changed.size === 0 && this.#gone.size === 0;
    this.#send(this.#isFirstPiece ? 'snapshot' : 'update', featuresJson(next.value), isAll);
    this.#isFirstPiece = false;
    if (isAll) this.#sendPiece();
  }

  /** Of a snapshot; the last one has fewer features than the others. */
  *#pieces(): Generator<readonly Entry[]> {
    let piece: Entry[] = [];
    for (const entry of this.#hub.entries()) {
      if (!this.#wants(entry)) continue;
      piece.push(entry);
      if (piece.length < PIECE_FEATURES) continue;
      yield piece;
      piece = [];
    }
    yield piece;
  }

  /** Some of what has changed; the summary comes after the last of it. */
  #sendPiece(): void {
    const entries: Entry[] = [];
    for (const id of this.#changed) {
      if (entries.length === PIECE_FEATURES) break;
      this.#changed.delete(id);
      const entry = this.#hub.entry(id);
      if (entry !== undefined) entries.push(entry);
    }
    const gone = [...this.#gone].map(([id, kind]) => ({ id, kind }));
    this.#gone.clear();
    const isAll = this.#changed.size === 0;
    const { summary } = this.#hub;
    if (gone.length > 0) this.#send('remove', removalJson(gone), isAll && entries.length === 0);
    if (entries.length > 0) this.#send('update', featuresJson(entries), isAll);
    if (!isAll || !this.#owesSummary) return;
    this.#owesSummary = false;
    this.#send('summary', JSON.stringify(summary), true);
  }

  #send(event: string, json: string, isAll: boolean): void {
    this.stream.push(`event: ${event}\n${isAll ? `id: ${this.#eventId}\n` : ''}data: ${json}\n\n`);
  }
}

function featuresJson(entries: readonly Entry[]): string {
  const of = (kind: Kind) =>
    entries
      .filter((entry) => entry.kind === kind)
      .map(({ json }) => json)
      .join(',');
  return `{"flights":[${of('flights')}],"contrails":[${of('contrails')}]}`;
}

function removalJson(removed: readonly Pick<Removal, 'id' | 'kind'>[]): string {
  const of = (kind: Kind) => removed.filter((one) => one.kind === kind).map(({ id }) => id);
  return JSON.stringify({ flights: of('flights'), contrails: of('contrails') });
}
