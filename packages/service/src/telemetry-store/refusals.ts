/** Records that do not become rows: counted under one code each, and kept with their text where an operator may want them back. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { isQuarantined, type RefusalCode } from '@contrails/flights';
import type { Queryable, SqlValue } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';
import { DAY_MS, isoDate } from '@contrails/runtime';

export interface RefusedRecord {
  /** Number in the batch, from 0. */
  readonly record: number;
  readonly code: RefusalCode;
  readonly detail?: string;
  /** Of the transponder, as it was given. */
  readonly address?: string;
  /** Text of the record, readable in the format. */
  readonly raw?: string;
  /** Of `raw`, where it is not the format of the batch. */
  readonly format?: string;
  /** Time of the report, where it has one. */
  readonly timeMs?: number;
}

/** Records may have any time, also damaged ones; only years from 1970 to 9892 have a day. */
const MAX_TIME_MS = 2.5e14;

export type Counts = Record<string, number>;

/** Refused records of one airframe on one day with one code. */
export interface AirframeRefusals {
  readonly address: string;
  readonly day: string;
  readonly code: string;
  readonly records: number;
  /** The first of them: its number in the batch, and what is wrong with it. */
  readonly record: number;
  readonly detail: string;
}

/** Of one batch; the rest is in the counts of the source alone. */
const MAX_AIRFRAME_REFUSALS = 20_000;
const MAX_DETAIL_LENGTH = 300;
/** Other texts are not addresses, and cannot be asked for. */
const ADDRESS = /^~?[0-9A-F]{6}$/i;

/** What the quarantine holds of one batch. */
export interface QuarantineObject {
  readonly key: string;
  readonly records: number;
  readonly codes: Counts;
}

/** Counts refused records and collects those that are kept in a file. */
export function createRefusals(directory: string) {
  const counts: Counts = {};
  const kept: Counts = {};
  /** Day and code, joined by a blank; no day where the record has no time. */
  const byDay = new Map<string, number>();
  /** By address, day and code, joined by blanks. */
  const byAirframe = new Map<
    string,
    { readonly address: string; readonly code: string; records: number; record: number; detail: string }
  >();
  const path = join(directory, 'quarantine.ndjson');
  let file: FileHandle | undefined;
  /** Records of a batch are mostly of one day. */
  let lastDay = { number: Number.NaN, day: '' };
  return {
    counts: counts as Readonly<Counts>,
    /** Records by day and code, joined by a blank; those without a time count for the day of `otherwiseMs`. */
    byDay(otherwiseMs: number): ReadonlyMap<string, number> {
      const dated = new Map<string, number>();
      for (const [group, records] of byDay) {
        const key = group.startsWith(' ') ? `${dayOf(otherwiseMs)}${group}` : group;
        dated.set(key, (dated.get(key) ?? 0) + records);
      }
      return dated;
    },
    async add(refused: readonly RefusedRecord[]): Promise<void> {
      const lines: string[] = [];
      for (const refusal of refused) {
        const { timeMs, address = '', code, record, detail = '' } = refusal;
        addTo(code, timeMs, 1);
        addAirframe({ address, code, records: 1, record, detail }, timeMs);
        if (!isQuarantined(code)) continue;
        kept[code] = (kept[code] ?? 0) + 1;
        const { timeMs: _, ...one } = refusal;
        const day = knownDay(timeMs);
        lines.push(`${JSON.stringify(day === '' ? one : { day, ...one })}\n`);
      }
      if (lines.length === 0) return;
      file ??= await open(path, 'w');
      await file.write(lines.join(''));
    },
    /** Records that are counted, but not kept. */
    addCount: (code: string, timeMs: number | undefined, records: number) => addTo(code, timeMs, records),
    /** What counts of an airframe; its records are added in other ways. */
    addAirframe,
    /** Those without a time are of the day of `otherwiseMs`. */
    airframes(otherwiseMs: number): AirframeRefusals[] {
      return [...byAirframe].map(([group, one]) => {
        const [, day = ''] = group.split(' ');
        return { ...one, day: day === '' ? dayOf(otherwiseMs) : day };
      });
    },
    /** Stores the quarantined records, with the day that each counts for (as in `byDay`); undefined without any. */
    async finish(
      store: Pick<Store, 'put'>,
      key: string,
      otherwiseMs: number,
    ): Promise<QuarantineObject | undefined> {
      if (file === undefined) return undefined;
      await file.close();
      const dated = Readable.from(withDay(createReadStream(path), dayOf(otherwiseMs)));
      // A failure of the input ends the output, which the store waits for.
      const packed = pipeline(dated, createGzip(), () => undefined);
      await store.put(key, packed);
      return { key, records: Object.values(kept).reduce((sum, n) => sum + n, 0), codes: kept };
    },
    async close(): Promise<void> {
      await file?.close().catch(() => undefined);
    },
  };

  function addAirframe(one: Omit<AirframeRefusals, 'day'>, timeMs: number | undefined): void {
    if (!ADDRESS.test(one.address)) return;
    const address = one.address.toUpperCase();
    const group = `${address} ${knownDay(timeMs)} ${one.code}`;
    const known = byAirframe.get(group);
    if (known === undefined) {
      if (byAirframe.size < MAX_AIRFRAME_REFUSALS)
        byAirframe.set(group, { ...one, address, detail: one.detail.slice(0, MAX_DETAIL_LENGTH) });
      return;
    }
    known.records += one.records;
    // The example is the first record; those of a table come by day, and several days are none.
    if (one.record >= known.record) return;
    known.record = one.record;
    known.detail = one.detail.slice(0, MAX_DETAIL_LENGTH);
  }

  function knownDay(timeMs: number | undefined): string {
    if (timeMs === undefined || !(timeMs >= 0 && timeMs < MAX_TIME_MS)) return '';
    const number = Math.floor(timeMs / DAY_MS);
    if (number !== lastDay.number) lastDay = { number, day: dayOf(timeMs) };
    return lastDay.day;
  }

  function addTo(code: string, timeMs: number | undefined, records: number): void {
    counts[code] = (counts[code] ?? 0) + records;
    const group = `${knownDay(timeMs)} ${code}`;
    byDay.set(group, (byDay.get(group) ?? 0) + records);
  }
}

/** Lines of kept records; those without a day get this one. */
async function* withDay(input: Readable, day: string): AsyncGenerator<string> {
  for await (const line of linesOf(input)) {
    yield `${line.startsWith('{"day":') ? line : `{"day":"${day}",${line.slice(1)}`}\n`;
  }
}

/** Lines as `\n` ends them: `readline` also breaks at U+2028, which texts of JSON may hold as it is. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of input.setEncoding('utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

export type Refusals = ReturnType<typeof createRefusals>;

export function dayOf(timeMs: number): string {
  return isoDate(timeMs);
}

/** Adds to the counts of a source by day and code; negative numbers are taken from them. */
export async function countRefused(
  tx: Queryable,
  source: string,
  byDay: ReadonlyMap<string, number>,
): Promise<void> {
  // In the same order in every transaction, so two of them cannot wait for each other.
  for (const [group, records] of [...byDay].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (records === 0) continue;
    const [day = '', code = ''] = group.split(' ');
    await tx.execute(
      `INSERT INTO telemetry_refused (source, day, code, records) VALUES ($1, $2, $3, $4)
       ON CONFLICT (source, day, code) DO UPDATE SET records = telemetry_refused.records + excluded.records`,
      [source, day, code, records],
    );
    if (records > 0) continue;
    await tx.execute(
      'DELETE FROM telemetry_refused WHERE source = $1 AND day = $2 AND code = $3 AND records <= 0',
      [source, day, code],
    );
  }
}

const ROWS_AT_ONCE = 200;

/** Adds to what is known of airframes; negative numbers are taken from it. */
export async function countAirframes(
  tx: Queryable,
  { source, batch }: { readonly source: string; readonly batch: string },
  refusals: readonly AirframeRefusals[],
): Promise<void> {
  // In the same order in every transaction, so two of them cannot wait for each other.
  const key = ({ address, day, code }: AirframeRefusals) => `${address} ${day} ${code}`;
  const merged = new Map<string, AirframeRefusals>();
  for (const one of refusals) {
    const known = merged.get(key(one));
    // The example is the first record, in whichever order days were found.
    const first = known !== undefined && known.record <= one.record ? known : one;
    merged.set(key(one), { ...first, records: (known?.records ?? 0) + one.records });
  }
  const sorted = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  for (let from = 0; from < sorted.length; from += ROWS_AT_ONCE) {
    const values: SqlValue[] = [];
    const rows = sorted
      .slice(from, from + ROWS_AT_ONCE)
      .map(({ address, day, code, records, record, detail }) => {
        const row = [address, day, source, code, records, batch, record, detail];
        return `(${row.map((value) => `$${values.push(value)}`).join(', ')})`;
      });
    await tx.execute(
      `INSERT INTO telemetry_airframe_refusals (address, day, source, code, records, batch, record, detail)
       VALUES ${rows.join(', ')} ON CONFLICT (address, day, source, code)
       DO UPDATE SET records = telemetry_airframe_refusals.records + excluded.records`,
      values,
    );
  }
  if (refusals.some(({ records }) => records < 0))
    await tx.execute('DELETE FROM telemetry_airframe_refusals WHERE records <= 0');
}
