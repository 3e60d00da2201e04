/** Records that do not become rows: counted under one code each, and kept with their text where an operator may want them back. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { isQuarantined, type RefusalCode } from '@contrails/flights';
import type { Queryable } from '../../../database/database.ts';
import type { Store } from '../../../store/store.ts';

export interface RefusedRecord {
  /** Number in the batch, from 0. */
  readonly record: number;
  readonly code: RefusalCode;
  readonly detail?: string;
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
  const path = join(directory, 'quarantine.ndjson');
  let file: FileHandle | undefined;
  return {
    counts: counts as Readonly<Counts>,
    /** Records by day and code, joined by a blank; those without a time count for the day of `otherwiseMs`. */
    byDay(otherwiseMs: number): ReadonlyMap<string, number> {
      const dated = new Map<string, number>();
      for (const [place, records] of byDay) {
        const key = place.startsWith(' ') ? `${dayOf(otherwiseMs)}${place}` : place;
        dated.set(key, (dated.get(key) ?? 0) + records);
      }
      return dated;
    },
    async add(refused: readonly RefusedRecord[]): Promise<void> {
      const lines: string[] = [];
      for (const { timeMs, ...one } of refused) {
        addTo(one.code, timeMs, 1);
        if (!isQuarantined(one.code)) continue;
        kept[one.code] = (kept[one.code] ?? 0) + 1;
        lines.push(`${JSON.stringify(one)}\n`);
      }
      if (lines.length === 0) return;
      file ??= await open(path, 'w');
      await file.write(lines.join(''));
    },
    /** Records that are counted, but not kept. */
    addCount: (code: string, timeMs: number | undefined, records: number) => addTo(code, timeMs, records),
    /** Stores what is kept; undefined when nothing is. */
    async finish(store: Pick<Store, 'put'>, key: string): Promise<QuarantineObject | undefined> {
      if (file === undefined) return undefined;
      await file.close();
      await store.put(key, createReadStream(path).pipe(createGzip()));
      return { key, records: Object.values(kept).reduce((sum, n) => sum + n, 0), codes: kept };
    },
    async close(): Promise<void> {
      await file?.close().catch(() => undefined);
    },
  };

  function addTo(code: string, timeMs: number | undefined, records: number): void {
    counts[code] = (counts[code] ?? 0) + records;
    const day = `${timeMs !== undefined && timeMs >= 0 && timeMs < MAX_TIME_MS ? dayOf(timeMs) : ''} ${code}`;
    byDay.set(day, (byDay.get(day) ?? 0) + records);
  }
}

export type Refusals = ReturnType<typeof createRefusals>;

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Adds to the counts of a source by day and code. */
export async function countRefused(
  tx: Queryable,
  source: string,
  byDay: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [place, records] of byDay) {
    const [day = '', code = ''] = place.split(' ');
    await tx.execute(
      `INSERT INTO telemetry_refused (source, day, code, records) VALUES ($1, $2, $3, $4)
       ON CONFLICT (source, day, code) DO UPDATE SET records = telemetry_refused.records + excluded.records`,
      [source, day, code, records],
    );
  }
}
