import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareReports,
  openCollection,
  POSITION_SOURCES,
  type RefusalCode,
  TELEMETRY_COLUMNS,
  thin,
} from '../../src/index.ts';
import { gzip, OPENSKY_HEAD, readAll, tableCsv, tar, traceEntries, traceJson } from '../support/telemetry.ts';

/** Records of which some are good and some are refused for one reason or another. */
const record = fc.record({
  timestamp: fc.constantFrom(
    1_735_722_000,
    1_735_722_001.5,
    '2025-01-01T08:00:00',
    '2025-01-01T12:00',
    '',
    'x',
  ),
  latitude: fc.constantFrom(48.1, 0, 91, '', 'nan', 'north'),
  longitude: fc.constantFrom(-3.6, 0, 359, 400, ''),
  altitude_baro: fc.constantFrom(36_000, 36_000.5, 99_000, ''),
  altitude_gnss: fc.constantFrom(36_500, ''),
  icao_address: fc.constantFrom('40095D', '3c66b0', '~12345', '', '000000', 'zz'),
  callsign: fc.constantFrom('BAW507 ', 'é', ''),
  on_ground: fc.constantFrom('true', 'false', ''),
});
const records = fc.array(record, { minLength: 1, maxLength: 60 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n');

function chunked(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
}

describe('the blocks do not depend on how the bytes arrive', () => {
  test('of tables with any line ends, plain and compressed', async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        lineEnd,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (rows, end, isPacked, cuts) => {
          const text = tableCsv(rows).replaceAll('\n', end);
          const bytes = isPacked ? gzip(text) : Buffer.from(text);
          const options = { format: 'table', blockRecords: 7 } as const;
          const [whole, parts] = [
            await readAll(bytes, options),
            await readAll(chunked(bytes, cuts), options),
          ];
          expect(parts).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of archives', async () => {
    const archive = gzip(
      await tar(
        ['3c66b0', '40095d', '~00000'].map((address) => ({
          name: `trace_full_${address}.json`,
          body: gzip(traceJson(address, traceEntries(30))),
        })),
      ),
    );
    const whole = await readAll(archive, { blockRecords: 7 });
    expect([whole.rows.length, whole.refused.length]).toEqual([60, 30]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await readAll(chunked(archive, cuts), { blockRecords: 7 })).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

test('every record is a row or has exactly one reason, in the order of the input', async () => {
  await fc.assert(
    fc.asyncProperty(records, async (rows) => {
      const read = await readAll(tableCsv(rows), { format: 'table', blockRecords: 16 });
      const seen = [
        ...read.rows.map((row) => row.record as number),
        ...read.refused.map((one) => one.record),
      ];
      expect(seen.sort((a, b) => a - b)).toEqual(rows.map((_, i) => i));
      for (const { record: rowRecords, refused } of read.blocks) {
        for (const list of [[...rowRecords], refused.map((refusal) => refusal.record)]) {
          expect(list).toEqual([...list].sort((a, b) => a - b));
        }
      }
      const onGround = read.refused.filter(({ code }) => code === 'on_ground').length;
      expect(read.ground).toHaveLength(onGround);
    }),
    { numRuns: 100 },
  );
});

test('damage anywhere in a compressed input never loses a record silently or crashes', async () => {
  const text = tableCsv(
    Array.from({ length: 400 }, (_, i) => ({
      timestamp: 1_735_700_000 + i,
      latitude: 48,
      longitude: i / 10,
      altitude_baro: 30_000 + i,
      icao_address: '40095D',
    })),
  );
  const whole = gzip(text);
  const plain = await readAll(text);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: whole.length - 1 }), async (length) => {
      const cut = whole.subarray(0, length);
      const { rows, refused } = await readAll(cut, { format: 'table' });
      expect(rows).toEqual(plain.rows.slice(0, rows.length));
      expect(refused).toMatchObject([{ record: rows.length, code: 'parse_error' }]);
    }),
    { numRuns: 60 },
  );
});

describe('duplicates', () => {
  const report = fc.record({
    time: fc.constantFrom(1_735_722_000, 1_735_722_001),
    address: fc.constantFrom('40095d', '3c66b0'),
    ageS: fc.constantFrom(0, 1, 2),
    callsign: fc.constantFrom('BAW507', 'BAW508', ''),
  });

  test('of one input leave the row that compareReports puts first, whatever is compared', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 25 }), async (reports) => {
        const lines = reports.map(
          ({ time, address, ageS, callsign }) =>
            `${time + ageS},${address},48,8,1,1,1,${callsign},f,f,f,,9144,9144,${time},${time}`,
        );
        const { blocks } = await readAll([OPENSKY_HEAD, ...lines].join('\n'));
        const collection = await openCollection({ memoryMiB: 64, threads: 1 });
        try {
          for (const block of blocks) await collection.add(block, 0);
          await collection.refuseDuplicates();
          const refused: [number, RefusalCode][] = [];
          for await (const chunk of collection.refused()) {
            for (const { record: number, code } of chunk) refused.push([number, code]);
          }
          expect(refused).toEqual(expectedDuplicates(reports));
          const { rows } = await collection.counts();
          expect(rows + refused.length).toBe(reports.length);
        } finally {
          await collection.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  test('compareReports follows the order of the rule', () => {
    const adsb = POSITION_SOURCES.indexOf('adsb');
    const base = { positionAgeS: 1, positionSource: adsb, nic: 8, nacp: 9, received: 5, source: 'b' };
    const worse = [
      { positionAgeS: 2, nic: 11 },
      { positionSource: POSITION_SOURCES.indexOf('mlat'), nic: 11 },
      { nic: 7, nacp: 11 },
      { nic: Number.NaN, nacp: 11 },
      { nacp: 0, received: 1 },
      { received: 6, source: 'a' },
      { source: 'c' },
    ];
    for (const fields of worse) {
      expect(compareReports(base, { ...base, ...fields })).toBeLessThan(0);
      expect(compareReports({ ...base, ...fields }, base)).toBeGreaterThan(0);
    }
    const [mlat, tisb] = [POSITION_SOURCES.indexOf('mlat'), POSITION_SOURCES.indexOf('tisb')];
    expect(compareReports({ ...base, positionSource: mlat }, { ...base, positionSource: tisb })).toBeLessThan(
      0,
    );
    expect(compareReports(base, base)).toBe(0);
  });

  function expectedDuplicates(
    reports: readonly { time: number; address: string; ageS: number; callsign: string }[],
  ): [number, RefusalCode][] {
    const winners = new Map<string, number>();
    const quality = (i: number) => ({
      positionAgeS: reports[i]?.ageS ?? 0,
      positionSource: 0,
      nic: Number.NaN,
      nacp: Number.NaN,
      received: i,
      source: '',
    });
    reports.forEach(({ address, time }, i) => {
      const key = `${address} ${time}`;
      const winner = winners.get(key);
      if (winner === undefined || compareReports(quality(i), quality(winner)) < 0) winners.set(key, i);
    });
    return reports.flatMap(({ address, time, callsign }, i): [number, RefusalCode][] => {
      const winner = winners.get(`${address} ${time}`) as number;
      if (winner === i) return [];
      return [[i, reports[winner]?.callsign === callsign ? 'duplicate' : 'conflicting_duplicate']];
    });
  }
});

test('thinning keeps one report of each aircraft and interval, and thinning again changes nothing', () => {
  const rows = fc.array(fc.tuple(fc.constantFrom('A', 'B'), fc.integer({ min: -90_000, max: 200_000 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(rows, fc.constantFrom(0, 1, 30, 60), (reports, intervalS) => {
      const [addresses, times] = [reports.map(([address]) => address), reports.map(([, time]) => time)];
      const kept = [...thin(addresses, times, intervalS)];
      if (intervalS === 0) expect(kept).toEqual(reports.map((_, i) => i));
      else {
        const key = (i: number) => `${addresses[i]} ${Math.floor((times[i] as number) / 1000 / intervalS)}`;
        expect(new Set(kept.map(key))).toEqual(new Set(reports.map((_, i) => key(i))));
        expect(kept).toHaveLength(new Set(kept.map(key)).size);
        for (const i of kept) {
          const others = times.filter((_, k) => key(k) === key(i));
          expect(times[i]).toBe(Math.min(...others));
        }
      }
      const again = thin(
        kept.map((i) => addresses[i] as string),
        kept.map((i) => times[i] as number),
        intervalS,
      );
      expect([...again]).toEqual(kept.map((_, i) => i));
    }),
  );
});

test('a table that is written as Parquet is read back exactly', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { join } = await import('node:path');
  const folder = mkdtempSync(join(tmpdir(), 'round-trip-'));
  try {
    const text = [
      '{"timestamp":"2025-01-01T08:59:59.123Z","latitude":36.696758,"longitude":-179.5334,"altitude_baro":38750,"altitude_gnss":39900,"icao_address":"040172","flight_id":"a854ae1e-9348-45cc-8253-3251b1ce6448","callsign":"ETH701","tail_number":"ET-AWO","flight_number":"ET701","aircraft_type_icao":"A359","airline_iata":"ET","departure_airport_icao":"EGLL","departure_scheduled_time":"2025-01-01T05:15:00Z","arrival_airport_icao":"HAAB","arrival_scheduled_time":"2025-01-01T13:00:00Z","nic":0,"nacp":11,"collection_type":"satellite"}',
      '{"timestamp":"2025-01-01T09:00:00Z","latitude":0.1,"longitude":0.30000000000000004,"altitude_gnss":-5,"icao_address":"ABCDEF"}',
    ].join('\n');
    const given = await readAll(text);
    const collection = await openCollection({ memoryMiB: 64, threads: 1 });
    for (const block of given.blocks) await collection.add(block, 0);
    await collection.refuseDuplicates();
    const file = join(folder, 'table.parquet');
    await collection.writeParquet(file);
    await collection.close();
    const back = await readAll({ file });
    expect(back.rows).toEqual(given.rows);
    expect(given.rows).toHaveLength(2);
    expect(Object.keys(given.rows[0] ?? {})).toEqual(expect.arrayContaining([...TELEMETRY_COLUMNS]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('numbers of a table are read exactly', async () => {
  const numbers = fc.array(
    fc.oneof(
      fc.double({ min: -90, max: 90, noNaN: true }),
      fc.integer({ min: -90_000_000, max: 90_000_000 }).map((value) => value / 1e6),
      fc.integer({ min: -90, max: 90 }),
    ),
    { minLength: 1, maxLength: 50 },
  );
  await fc.assert(
    fc.asyncProperty(numbers, async (values) => {
      // A text has no −0.
      const written = values.map((value) => value + 0);
      const rows = written.map((latitude, i) => ({
        timestamp: 1_735_700_000 + i,
        latitude,
        longitude: 8,
        altitude_baro: 30_000,
        icao_address: '40095D',
      }));
      const read = await readAll(tableCsv(rows));
      expect(read.rows.map(({ latitude }) => latitude)).toEqual(written);
    }),
  );
});
