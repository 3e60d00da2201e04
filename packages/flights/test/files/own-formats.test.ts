import { join } from 'node:path';
import { encodeRowGroup, type ParquetTexts, ParquetWriter } from '@contrails/formats';
import { withTemporaryFolder } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { flightBody } from '../../src/files/index.ts';
import { fileAt } from '../../src/files/node-host.ts';
import { readAll, readText } from './support.ts';

const KNOWN = {
  flight_id: 'LX1-20260203',
  aircraft_type: 'A320',
  callsign: 'SWR1AB',
  flight_number: 'LX1',
  tail_number: 'HB-IJB',
  icao_address: '4B1A2C',
  departure_airport_icao: 'LSZH',
  arrival_airport_icao: 'EGLL',
  takeoff_mass: 64_000,
};

test('a table of waypoints may name the flight, its airframe and its airports', async () => {
  const header = `time,longitude,latitude,altitude,${Object.keys(KNOWN).join(',')}`;
  const cells = Object.values({ ...KNOWN, icao_address: '4b1a2c' }).join(',');
  const empty = `LX1-20260203${','.repeat(Object.keys(KNOWN).length - 1)}`;
  const rows = [`2026-02-03T06:00:00Z,8,47,10000,${empty}`, `2026-02-03T06:01:00Z,8.1,47,12000,${cells}`];
  const { flights } = await readText('flights.csv', `${[header, ...rows].join('\n')}\n`);
  expect(flights).toMatchObject([KNOWN]);
});

test('a body is read again with what it says of the flight', async () => {
  const { departure_airport_icao, arrival_airport_icao, ...rest } = KNOWN;
  const body = {
    ...rest,
    origin_airport_icao: departure_airport_icao,
    destination_airport_icao: arrival_airport_icao,
    time: ['2026-02-03T06:00:00Z', '2026-02-03T06:01:00Z'],
    longitude: [8, 8.1],
    latitude: [47, 47],
    altitude: [10_000, 12_000],
  };
  const { flights } = await readText('flights.ndjson', JSON.stringify(body));
  expect(flights).toMatchObject([KNOWN]);
  expect(flights.map(flightBody)).toMatchObject([{ origin_airport_icao: 'LSZH', takeoff_mass: 64_000 }]);
});

test('airframes of a table in metres are cut into legs by their altitude in feet', async () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  const texts = (list: readonly string[]): ParquetTexts => {
    const distinct = [...new Set(list)].sort();
    return { list: distinct, indices: Int32Array.from(list, (text) => distinct.indexOf(text)) };
  };
  const columns = {
    time: Float64Array.from(minutes, (minute) => 1_770_000_000 + 60 * minute),
    lat: new Float64Array(60).fill(50),
    lon: Float64Array.from(minutes, (minute) => 8 + minute / 5),
    baroaltitude: new Float64Array(60).fill(9000),
    icao24: texts(minutes.map(() => '3c6701')),
    // In cruise the callsign changes, but not the flight.
    callsign: texts(minutes.map((minute) => (minute < 30 ? 'DLH1AA' : 'DLH2BB'))),
  };
  const types = Object.entries(columns).map(
    ([name, values]) => ({ name, type: values instanceof Float64Array ? 'double' : 'string' }) as const,
  );
  await withTemporaryFolder('parquet', async (folder) => {
    const path = join(folder, 'states.parquet');
    const writer = await ParquetWriter.create(path, types);
    await writer.append(encodeRowGroup(types, minutes.length, Object.values(columns)));
    await writer.finish();
    const { flights, report } = await readAll([fileAt(path)]);
    expect(flights.map(({ flight_id, timeMs }) => [flight_id, timeMs.length])).toEqual([['3c6701', 60]]);
    expect(report.refused).toEqual({});
  });
});
