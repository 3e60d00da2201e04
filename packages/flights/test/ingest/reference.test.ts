import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  openCollection,
  readTelemetry,
  type SourceFormat,
  TELEMETRY_COLUMNS,
  thin,
} from '../../src/index.ts';

interface IngestCase {
  readonly id: string;
  readonly params: { readonly format: SourceFormat; readonly now: string };
  readonly input: string;
  readonly expect: {
    readonly rows: readonly (readonly unknown[])[];
    readonly refused: readonly { readonly record: number; readonly why: string }[];
  };
}

interface ThinCase {
  readonly id: string;
  readonly params: { readonly bin_s: number };
  readonly input: { readonly t_ms: readonly number[]; readonly icao_address: readonly string[] };
  readonly expect: { readonly keep: readonly number[] };
}

const CASES = new URL('../../../../../shared/reference/flights/', import.meta.url);
const present = existsSync(CASES);
const casesOf = <T extends { readonly id: string }>(kind: string): [string, T][] =>
  present
    ? readdirSync(new URL(`${kind}/`, CASES)).map((file) => {
        const item = JSON.parse(readFileSync(new URL(`${kind}/${file}`, CASES), 'utf8')) as T;
        return [item.id, item];
      })
    : [];

const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];

function shownTime(ms: number): string | null {
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().replace(/(\.000)?Z$/, '');
}

/** The cases list rows by aircraft and time. */
function sorted(rows: readonly (readonly unknown[])[]): unknown[][] {
  const key = (row: readonly unknown[]) => `${row[TELEMETRY_COLUMNS.indexOf('icao_address')]} ${row[0]}`;
  return rows.map((row) => [...row]).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

describe.skipIf(!present)(
  `reference cases${present ? '' : ' (skipped: ../shared/reference/flights is not here)'}`,
  () => {
    test('the folder holds cases', () => {
      expect([casesOf('ingest').length, casesOf('thin').length]).toEqual([4, 1]);
    });

    describe.each(casesOf<IngestCase>('ingest'))('%s', (_, item) => {
      test.each([
        ['with its format', item.params.format],
        ['with the format told from its content', undefined],
      ])('%s', async (__, format) => {
        const settings = { memoryMiB: 64, threads: 1 };
        const collection = await openCollection(settings);
        try {
          const bytes = (async function* () {
            yield Buffer.from(item.input);
          })();
          const nowMs = Date.parse(`${item.params.now}Z`);
          for await (const block of readTelemetry(bytes, { format, nowMs })) await collection.add(block, 0);
          await collection.refuseDuplicates();
          const rows: unknown[][] = [];
          for (const name of TELEMETRY_COLUMNS) {
            let row = 0;
            for await (const chunk of collection.column(name)) {
              for (const value of chunk) {
                rows[row] ??= [];
                const unknown = Number.isNaN(value) ? null : value;
                rows[row++]?.push(TIMES.includes(name) ? shownTime(value as number) : unknown);
              }
            }
          }
          expect(sorted(rows)).toEqual(sorted(item.expect.rows));
          const refused = [];
          for await (const chunk of collection.refused()) refused.push(...chunk);
          expect(refused.map(({ record, code }) => ({ record, why: code }))).toEqual(item.expect.refused);
        } finally {
          await collection.close();
        }
      });
    });

    test.each(casesOf<ThinCase>('thin'))('%s', (_, { input, params, expect: expected }) => {
      expect([...thin(input.icao_address, input.t_ms, params.bin_s)]).toEqual(expected.keep);
    });
  },
);
