/** Clients that follow the sky: what has changed goes to each of them, as far as it lies in its box. */
import { Readable } from 'node:stream';
import type { BoundingBox } from '@contrails/engine/grid/layout';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import type { LiveSummary } from '@contrails/engine/live/summary';
import { MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { isInBox } from './in-box.ts';
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
/** A snapshot goes out in pieces, each when the one before it has been taken. */
const PIECE_FEATURES = 500;
/** An update of more goes out as a snapshot, in pieces. */
const MAX_UPDATE_FEATURES = 2000;
const RESUME_MS = 5 * MINUTE_MS;
/** Servers have clocks of their own: what changed so shortly before the last event is sent again. */
const CLOCK_MARGIN_MS = 2 * SECOND_MS;
const COMMENT_MS = 15 * SECOND_MS;

type Kind = 'flights' | 'contrails';

/** A feature as it is sent; made once for all clients. */
interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly feature: FlightFeature | ContrailFeature;
  readonly json: string;
  readonly changedMs: number;
}

interface Removal {
  readonly id: string;
  readonly kind: Kind;
  readonly timeMs: number;
}

export class StreamHub {
  readonly #maxClients: number;
  readonly #clients = new Set<Client>();
  readonly #entries = new Map<string, Entry>();
  #removals: Removal[] = [];
  #summary: LiveSummary | null = null;
  #cycle = 0;
  /** Since when changes are known here [ms since 1970]. */
  #sinceMs = Number.POSITIVE_INFINITY;
  #isClosed = false;
  readonly #comments: NodeJS.Timeout;
  /** Updates that were dropped because a client reads slowly. */
  dropped = 0;

  constructor(maxClients: number) {
    this.#maxClients = maxClients;
    this.#comments = setInterval(() => {
      for (const client of this.#clients) client.comment();
    }, COMMENT_MS).unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Undefined when there are as many clients as there may be. */
  connect(request: StreamRequest, nowMs: number): Readable | undefined {
    if (this.#clients.size >= this.#maxClients || this.#isClosed) return undefined;
    const client = new Client(request, this);
    this.#clients.add(client);
    client.stream.once('close', () => this.#clients.delete(client));
    const lastMs = resumeTime(request.lastEventId);
    if (lastMs !== undefined && lastMs >= this.#sinceMs && nowMs - lastMs <= RESUME_MS)
      this.#resume(client, lastMs - CLOCK_MARGIN_MS, nowMs);
    else client.beginSnapshot();
    return client.stream;
  }

  /** A new cycle. */
  show(sky: PublishedSky, nowMs: number): void {
    this.#cycle = sky.cycle;
    this.#summary = sky.summary;
    this.#sinceMs = Math.min(this.#sinceMs, nowMs);
    const present = new Set<string>();
    const changed: Entry[] = [];
    const take = (kind: Kind, feature: FlightFeature | ContrailFeature) => {
      present.add(feature.id);
      const entry = this.#put(kind, feature, nowMs);
      if (entry !== undefined) changed.push(entry);
    };
    for (const feature of sky.flights) take('flights', feature);
    for (const feature of sky.contrails) take('contrails', feature);
    const removed: Removal[] = [];
    for (const { id, kind } of this.#entries.values()) {
      if (present.has(id)) continue;
      this.#entries.delete(id);
      removed.push({ id, kind, timeMs: nowMs });
    }
    this.#removals = [...this.#removals.filter(({ timeMs }) => nowMs - timeMs <= RESUME_MS), ...removed];
    for (const client of this.#clients) client.update(changed, removed, sky.summary, this.eventId(nowMs));
  }

  /** Flights that have moved. */
  move(flights: readonly FlightFeature[], nowMs: number): void {
    const changed = flights.flatMap((feature) =>
      this.#entries.has(feature.id) ? (this.#put('flights', feature, nowMs) ?? []) : [],
    );
    if (changed.length === 0) return;
    for (const client of this.#clients) client.update(changed, [], null, this.eventId(nowMs));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#comments);
    for (const client of this.#clients) client.stream.push(null);
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  get summary(): LiveSummary | null {
    return this.#summary;
  }

  eventId(nowMs: number): string {
    return `${this.#cycle}-${nowMs}`;
  }

  /** Undefined for a feature that is as it was. */
  #put(kind: Kind, feature: FlightFeature | ContrailFeature, nowMs: number): Entry | undefined {
    const json = JSON.stringify(feature);
    if (this.#entries.get(feature.id)?.json === json) return undefined;
    const entry = { id: feature.id, kind, feature, json, changedMs: nowMs };
    this.#entries.set(feature.id, entry);
    return entry;
  }

  #resume(client: Client, sinceMs: number, nowMs: number): void {
    const changed = [...this.#entries.values()].filter(({ changedMs }) => changedMs >= sinceMs);
    const removed = this.#removals.filter(({ timeMs, id }) => timeMs >= sinceMs && !this.#entries.has(id));
    client.resume(changed, removed, this.#entries.values(), this.#summary, this.eventId(nowMs));
  }
}

function resumeTime(lastEventId: string | undefined): number | undefined {
  const [, time] = /^\d+-(\d+)$/.exec(lastEventId ?? '') ?? [];
  return time === undefined ? undefined : Number(time);
}

/** One client; what it has not taken yet waits in the stream. */
class Client {
  readonly stream: Readable;
  readonly #request: StreamRequest;
  readonly #hub: StreamHub;
  /** Ids of what the client has. */
  readonly #has = new Set<string>();
  /** What is left of the snapshot under way; updates are dropped meanwhile. */
  #snapshot: Iterator<readonly Entry[]> | undefined;
  /** Whether something was dropped since the snapshot began, so another one has to follow. */
  #isBehind = false;

  constructor(request: StreamRequest, hub: StreamHub) {
    this.#request = request;
    this.#hub = hub;
    this.stream = new Readable({ read: () => this.#continue() });
  }

  comment(): void {
    if (this.stream.readableLength < MAX_WAITING_BYTES) this.stream.push(': still here\n\n');
  }

  beginSnapshot(): void {
    this.#isBehind = false;
    this.#has.clear();
    this.#snapshot = this.#pieces();
    this.#continue();
  }

  resume(
    changed: readonly Entry[],
    removed: readonly Removal[],
    all: Iterable<Entry>,
    summary: LiveSummary | null,
    eventId: string,
  ): void {
    const gone = changed
      .filter((entry) => !this.#wants(entry))
      .map(({ id, kind }) => ({ id, kind, timeMs: 0 }));
    for (const entry of all) if (this.#wants(entry)) this.#has.add(entry.id);
    for (const { id } of [...removed, ...gone]) this.#has.add(id);
    this.update(changed, [...removed, ...gone], summary, eventId);
  }

  update(
    changed: readonly Entry[],
    removed: readonly Pick<Removal, 'id' | 'kind'>[],
    summary: LiveSummary | null,
    eventId: string,
  ): void {
    if (this.#snapshot !== undefined || this.stream.readableLength > MAX_WAITING_BYTES) {
      this.#isBehind = true;
      this.#hub.dropped++;
      return;
    }
    const left = removed.filter(({ id }) => this.#has.delete(id)).map(({ id, kind }) => ({ id, kind }));
    const sent: Entry[] = [];
    for (const entry of changed) {
      if (this.#wants(entry)) {
        this.#has.add(entry.id);
        sent.push(entry);
      } else if (this.#has.delete(entry.id)) left.push({ id: entry.id, kind: entry.kind });
    }
    if (sent.length > MAX_UPDATE_FEATURES) {
      this.beginSnapshot();
      return;
    }
    if (sent.length > 0) this.#send('update', featuresJson(sent), eventId);
    if (left.length > 0) this.#send('remove', removalJson(left), eventId);
    if (summary !== null && this.#request.topics.has('summary'))
      this.#send('summary', JSON.stringify(summary), eventId);
  }

  #wants({ kind, feature }: Entry): boolean {
    return this.#request.topics.has(kind) && isInBox(feature, this.#request.box);
  }

  /** Goes on with the snapshot when the client has taken what was sent, or begins another where it has fallen behind. */
  #continue(): void {
    if (this.#snapshot === undefined) {
      if (this.#isBehind) this.beginSnapshot();
      return;
    }
    const eventId = this.#hub.eventId(Date.now());
    const next = this.#snapshot.next();
    if (next.done !== true) {
      const isFirst = this.#has.size === 0;
      for (const { id } of next.value) this.#has.add(id);
      this.#send(isFirst ? 'snapshot' : 'update', featuresJson(next.value), eventId);
      return;
    }
    this.#snapshot = undefined;
    const { summary } = this.#hub;
    if (summary !== null && this.#request.topics.has('summary'))
      this.#send('summary', JSON.stringify(summary), eventId);
    // What was dropped while the snapshot was made may be older than it.
    if (this.#isBehind) this.beginSnapshot();
  }

  *#pieces(): Generator<readonly Entry[]> {
    let piece: Entry[] = [];
    let count = 0;
    for (const entry of this.#hub.entries()) {
      if (!this.#wants(entry)) continue;
      piece.push(entry);
      if (piece.length < PIECE_FEATURES) continue;
      yield piece;
      count++;
      piece = [];
    }
    if (piece.length > 0 || count === 0) yield piece;
  }

  #send(event: string, json: string, eventId: string): void {
    this.stream.push(`event: ${event}\nid: ${eventId}\ndata: ${json}\n\n`);
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
