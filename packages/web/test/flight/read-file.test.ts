import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readFlights } from '../../src/flight/read-file.ts';

const CSV = `time,longitude,latitude,altitude,aircraft_type
2026-01-01T06:02Z,-57.7,40.1,33000,A320
2026-01-01T06:04Z,-57.4,40.2,33000,A320
`;
const EXPECTED = [
  { timeMs: Date.UTC(2026, 0, 1, 6, 2), longitude: -57.7, latitude: 40.1 },
  { timeMs: Date.UTC(2026, 0, 1, 6, 4), longitude: -57.4, latitude: 40.2 },
];
const METRES = 10_058.4;
const GEOJSON = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { times: ['2026-01-01T06:02:00Z', '2026-01-01T06:04:00Z'] },
      geometry: {
        type: 'LineString',
        coordinates: [
          [-57.7, 40.1, METRES],
          [-57.4, 40.2, METRES],
        ],
      },
    },
  ],
};
const GPX = `<?xml version="1.0"?>
<gpx version="1.1"><trk><name>AB123</name><trkseg>
<trkpt lat="40.1" lon="-57.7"><ele>${METRES}</ele><time>2026-01-01T06:02:00Z</time></trkpt>
<trkpt lat="40.2" lon="-57.4"><ele>${METRES}</ele><time>2026-01-01T06:04:00Z</time></trkpt>
</trkseg></trk></gpx>`;
const KML = `<kml xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>
<when>2026-01-01T06:02:00Z</when><when>2026-01-01T06:04:00Z</when>
<gx:coord>-57.7 40.1 ${METRES}</gx:coord>
<gx:coord>-57.4 40.2 ${METRES}</gx:coord>
</gx:Track></Placemark></kml>`;
const BODY = {
  longitude: [-57.7, -57.4],
  latitude: [40.1, 40.2],
  altitude: [33_000, 33_000],
  time: ['2026-01-01T06:02Z', '2026-01-01T06:04Z'],
  aircraft_type: 'A320',
};
const TRACE = {
  icao: '3c6444',
  r: 'D-ABCD',
  t: 'A320',
  timestamp: Date.UTC(2026, 0, 1, 6) / 1000,
  trace: [
    [60, 40, -58, 'ground', 10],
    [120, 40.1, -57.7, 33_000, 450],
    [240, 40.2, -57.4, 33_000, 450],
  ],
};

function readText(text: string | Uint8Array<ArrayBuffer>, name = 'my flight.csv') {
  return readFlights([new File([text], name)], []);
}

test.each([
  ['CSV', CSV],
  [
    'CSV with semicolons, other names and metres',
    CSV.replaceAll(',', ';')
      .replace('altitude', 'altitude_m')
      .replaceAll('33000', String(METRES))
      .replace('longitude', 'lon')
      .replace('latitude', 'lat'),
  ],
  ['GeoJSON', JSON.stringify(GEOJSON)],
  ['GPX', GPX],
  ['KML', KML],
  ['a body of the service', JSON.stringify(BODY)],
  ['a readsb trace', JSON.stringify(TRACE)],
])('reads %s', async (_format, text) => {
  const {
    flights: [flight, ...others],
  } = await readText(text);
  expect(others).toEqual([]);
  expect(flight?.points.map(({ timeMs, longitude, latitude }) => ({ timeMs, longitude, latitude }))).toEqual(
    EXPECTED,
  );
  for (const { altitudeFt } of flight?.points ?? []) expect(altitudeFt).toBeCloseTo(33_000, 3);
});

test('flights of a table are told apart by their id, and reports are put in order of time', async () => {
  const text = `flight_id,time,longitude,latitude,altitude
b,2026-01-01T06:04Z,1,50,33000
a,2026-01-01T06:02Z,2,50,33000
b,2026-01-01T06:02Z,3,50,33000
a,2026-01-01T06:04Z,4,50,33000
`;
  const { flights } = await readText(text);
  expect(flights.map(({ name, points }) => [name, points.map(({ longitude }) => longitude)])).toEqual([
    ['b', [3, 1]],
    ['a', [2, 4]],
  ]);
});

test('a packed file is unpacked', async () => {
  const { flights } = await readText(new Uint8Array(gzipSync(CSV)), 'flight.csv.gz');
  expect(flights[0]?.points).toHaveLength(2);
});

test('points that cannot be used are counted with their place', async () => {
  const { flights, notes } = await readText(`${CSV}2026-01-01T06:06Z,west,40.3,33000,A320\n`);
  expect(flights[0]?.points).toHaveLength(2);
  expect(notes).toEqual(['1 left out: missing position (line 4)']);
});

test.each([
  ['a column that is missing', CSV.replace('latitude', 'northing'), 'none of the formats'],
  ['a GPX file that was cut off', GPX.slice(0, -20), 'not well-formed'],
  ['JSON with a comma too many', '{\n"longitude": [1,\n],\n}', 'not valid JSON'],
  ['lists of different lengths', JSON.stringify({ ...BODY, latitude: [1] }), '1 latitudes'],
  [
    'a line without times',
    JSON.stringify({ ...GEOJSON, features: [{ ...GEOJSON.features[0], properties: {} }] }),
    'no line has times',
  ],
  ['one waypoint', CSV.split('\n').slice(0, 2).join('\n'), 'a flight needs two'],
  ['a picture', '<svg></svg>', 'none of the formats'],
])('%s gives one sentence', async (_case, text, message) => {
  await expect(readText(text, 'flight.txt')).rejects.toThrow(message);
});
