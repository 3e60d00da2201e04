/** The legs of one flight, registration or airframe on a day, from the traces that aggregators publish. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, isoDate } from '@contrails/runtime';
import { type BuiltFlight, buildFlights } from './build/build-flights.ts';
import { readArchive } from './ingest/archive.ts';
import { Allowance, type Bytes, decompress } from './ingest/bytes.ts';
import { DamagedError } from './ingest/errors.ts';
import { Intake, type TelemetryBlock } from './ingest/intake.ts';
import { partsOf, readParts } from './ingest/parts.ts';
import { readTelemetry } from './ingest/read.ts';
import type { AirframeReports } from './telemetry/airframe-reports.ts';

export interface ReplayQuery {
  /** A callsign, a registration or the 24-bit address in hexadecimal. */
  readonly name: string;
  readonly dayMs: number;
}

export interface Replay {
  /** Legs that depart on the day. */
  readonly legs: readonly BuiltFlight[];
  /** Callsigns of the day that differ least, nearest first, where there is no leg. */
  readonly nearest: readonly string[];
  /** Why traces may be missing. */
  readonly truncated: string | undefined;
}

/** Traces of a day: the bytes of an archive, or files of single traces. */
export type DayTraces = { readonly archive: Bytes } | { readonly traces: readonly string[] };

const TRACE = /(?:^|[\\/])trace_full_[^\\/]*\.json$/;
const MAX_TRACE_BYTES = 256 * 2 ** 20;
const NEAREST = 3;

/** Only the traces that match are kept in memory. */
export async function findLegs(
  source: DayTraces,
  { name, dayMs }: ReplayQuery,
  nowMs: number,
): Promise<Replay> {
  const search = new Search(name);
  const truncated =
    'archive' in source
      ? await searchArchive(source.archive, search)
      : await searchFiles(source.traces, search);
  const legs: BuiltFlight[] = [];
  for (const trace of search.found) {
    for (const leg of (await legsOf(trace, nowMs)) ?? []) {
      if (isWanted(leg, { name, dayMs })) legs.push(leg);
    }
  }
  legs.sort((a, b) => a.firstMs - b.firstMs);
  return { legs, nearest: legs.length > 0 ? [] : search.nearest(), truncated };
}

/** Whether a leg departs on the day: of an airframe any leg, of a callsign one that has it. */
export function isWanted(
  { healed, icaoAddress, firstMs }: BuiltFlight,
  { name, dayMs }: ReplayQuery,
): boolean {
  if (firstMs < dayMs || firstMs >= dayMs + DAY_MS) return false;
  const { callsign = null, tail_number: tail = null } = healed?.attributes ?? {};
  return [icaoAddress, callsign, tail].some((one) => one?.toUpperCase() === nameOf(name));
}

function nameOf(name: string): string {
  return name.trim().toUpperCase();
}

/** The traces of a day on this machine; undefined where the path has none. */
export async function localTraces(path: string, dayMs: number): Promise<DayTraces | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isFile())
    return TRACE.test(path) ? { traces: [path] } : { archive: readParts(await partsOf(path)) };
  const names = await readdir(path, { recursive: true });
  const day = `v${isoDate(dayMs).replaceAll('-', '.')}-planes-readsb-`;
  const archive = names.filter((one) => one.startsWith(day) && /\.tar(\.aa)?$/.test(one)).sort()[0];
  if (archive !== undefined) return { archive: readParts(await partsOf(join(path, archive))) };
  const traces = names.filter((one) => TRACE.test(one)).sort();
  return traces.length === 0 ? undefined : { traces: traces.map((one) => join(path, one)) };
}

/** Looks through traces as text: parsing all of a day would take many times as long. */
class Search {
  readonly found: string[] = [];
  /** The folder of the traces of an address. */
  readonly folder: string | undefined;
  private readonly name: string;
  private readonly pattern: RegExp;
  private readonly callsigns = new Set<string>();

  constructor(name: string) {
    this.name = nameOf(name);
    const text = this.name.replace(/[^A-Z0-9]/g, '\\$&');
    this.pattern = new RegExp(`"(?:r|icao)"\\s*:\\s*"~?${text}"|"flight"\\s*:\\s*"${text}\\s*"`, 'i');
    this.folder = /^[0-9A-F]{6}$/.test(this.name) ? this.name.slice(-2).toLowerCase() : undefined;
  }

  take(text: string): void {
    if (this.pattern.test(text)) this.found.push(text);
    for (const [, callsign = ''] of text.matchAll(/"flight"\s*:\s*"([A-Z0-9]+) *"/g))
      this.callsigns.add(callsign);
  }

  nearest(): string[] {
    return [...this.callsigns]
      .map((callsign) => ({ callsign, distance: editDistance(callsign, this.name) }))
      .sort((a, b) => a.distance - b.distance || (a.callsign < b.callsign ? -1 : 1))
      .slice(0, NEAREST)
      .map(({ callsign }) => callsign);
  }
}

async function searchArchive(archive: Bytes, search: Search): Promise<string | undefined> {
  const intake = new Intake({ nowMs: 0, blockRecords: 1 });
  let isPast = false;
  let wasThere = false;
  const work = readArchive(archive, intake, async function* (bytes, name) {
    if (!TRACE.test(name)) return;
    const folder = /([0-9a-f]{2})[\\/][^\\/]*$/i.exec(name)?.[1]?.toLowerCase();
    if (search.folder !== undefined && folder !== undefined && folder !== search.folder) {
      isPast = wasThere;
    } else {
      wasThere = true;
      search.take(await textOf(bytes));
    }
    yield;
  });
  for await (const _ of work) if (isPast) return undefined;
  for (const { truncations } of intake.takeRest()) if (truncations[0] !== undefined) return truncations[0];
  return undefined;
}

async function searchFiles(files: readonly string[], search: Search): Promise<undefined> {
  for (const file of files) search.take(await textOf(createReadStream(file)));
}

/** A trace that is damaged is looked through as far as it goes. */
async function textOf(bytes: Bytes): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    const content = await decompress(bytes, new Allowance(MAX_TRACE_BYTES));
    for await (const chunk of content.bytes) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function legsOf(trace: string, nowMs: number): Promise<readonly BuiltFlight[] | undefined> {
  const bytes = (async function* () {
    yield Buffer.from(trace);
  })();
  const blocks = readTelemetry(bytes, {
    nowMs,
    format: 'readsb_trace_json',
    blockRecords: Number.MAX_SAFE_INTEGER,
  });
  for await (const block of blocks) {
    if (block.columns.timestamp.length > 0) return buildFlights(withGround(block)).flights;
  }
  return undefined;
}

/** The reports of an airframe with those on the ground, which separate its legs. */
function withGround({ columns, work, groundReports }: TelemetryBlock): AirframeReports {
  const ground = groundReports.timestamp;
  const count = columns.timestamp.length;
  const extended = Object.entries(columns).map(([name, values]) => {
    if (name === 'timestamp') return [name, joined(columns.timestamp, ground)];
    if (values instanceof Float64Array) {
      const longer = new Float64Array(count + ground.length).fill(Number.NaN);
      longer.set(values);
      return [name, longer];
    }
    const filler = name === 'icao_address' || name === 'collection_type' ? values[0] : null;
    return [name, [...values, ...Array.from(ground, () => filler)]];
  });
  const onGround = new Uint8Array(count + ground.length).fill(1, count);
  const legFlag = new Uint8Array(count + ground.length);
  legFlag.set(work.legFlag);
  return { ...(Object.fromEntries(extended) as TelemetryBlock['columns']), onGround, legFlag };
}

function joined(first: Float64Array, second: Float64Array): Float64Array {
  const all = new Float64Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, k) => k);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
