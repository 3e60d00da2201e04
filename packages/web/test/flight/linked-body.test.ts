import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { linkedBody } from '../../src/flight/linked-body.ts';

const BODY = {
  flight_id: 'one',
  callsign: 'DLH1AA',
  departure_airport_icao: 'EDDF',
  arrival_airport_icao: null,
  aircraft_type: 'A320',
  time: ['2026-02-25T06:00:00Z', '2026-02-25T06:01:00Z'],
  longitude: [8.5, 8.7],
  latitude: [50, 50.1],
  altitude: [34_000, 35_000],
};
const linkOf = (text: string) => new URLSearchParams({ body: text });

test('a flight that lies in the address is shown as it is', async () => {
  const text = deflateRawSync(JSON.stringify(BODY)).toString('base64url');
  const flight = await linkedBody(linkOf(text));
  expect(flight).toMatchObject({ name: 'DLH1AA EDDF–?', aircraftType: 'A320', body: BODY });
  expect(flight?.points[1]).toMatchObject({ longitude: 8.7, altitudeFt: 35_000 });
});

test('an address without a flight has none, and a cut one says what to do', async () => {
  expect(await linkedBody(new URLSearchParams())).toBeUndefined();
  const text = deflateRawSync(JSON.stringify(BODY)).toString('base64url');
  await expect(linkedBody(linkOf(text.slice(0, 20)))).rejects.toThrow('copy all of it');
});
