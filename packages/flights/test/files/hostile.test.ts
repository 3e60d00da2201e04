import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileOf, readFilesHere } from '../../src/files/node-host.ts';
import { caseBytes, readCase, readText } from './support.ts';

const MIB = 2 ** 20;

/** A file that is never in memory as a whole. */
function repeated(name: string, head: string, chunk: Uint8Array, count: number) {
  return {
    name,
    async *open() {
      yield Buffer.from(head);
      for (let k = 0; k < count; k++) yield chunk;
    },
  };
}

async function errorOf(files: Parameters<typeof readFilesHere>[0]) {
  const { flights, report } = readFilesHere(files);
  expect(await Array.fromAsync(flights)).toEqual([]);
  return report.error;
}

test('a gigabyte of zeros is refused after its first bytes', async () => {
  let opened = 0;
  const zeros = {
    name: 'zeros',
    async *open() {
      for (let k = 0; k < 1024; k++) {
        opened++;
        yield new Uint8Array(MIB);
      }
    },
  };
  expect((await errorOf([zeros]))?.code).toBe('not_supported');
  expect(opened).toBeLessThan(4);
});

test('a gigabyte of zeros after a good header is refused within bounded memory', async () => {
  const header = 'Timestamp,UTC,Callsign,Position,Altitude,Speed,Direction\n';
  const error = await errorOf([repeated('x.csv', header, new Uint8Array(MIB), 1024)]);
  expect(error).toMatchObject({ code: 'parse_error' });
  expect(error?.message).toContain('1 MiB');
});

test('a compressed gigabyte is refused as a document', async () => {
  const { length } = Buffer.from('<FlightPlan>');
  const bomb = gzipSync(Buffer.concat([Buffer.from('<FlightPlan>'), Buffer.alloc(80 * MIB - length, 0x20)]));
  expect(bomb.length).toBeLessThan(MIB);
  expect((await errorOf([fileOf('plan.xml.gz', bomb)]))?.code).toBe('too_large');
});

test('layers of compression are not followed for ever', async () => {
  let bytes: Buffer = gzipSync('x');
  for (let k = 0; k < 10; k++) bytes = gzipSync(bytes);
  expect((await errorOf([fileOf('x.gz', bytes)]))?.code).toBe('not_supported');
});

test.each([
  ['deep', `<gpx>${'<a>'.repeat(200)}`, 'too_large'],
  ['a text without end', `<gpx><trk><name>${'x'.repeat(MIB + 1)}</name></trk></gpx>`, 'too_large'],
  ['a document type', '<gpx><!DOCTYPE x></gpx>', 'xml_dtd'],
  ['an unknown entity', '<gpx><trk><name>&boom;</name></trk></gpx>', 'parse_error'],
  ['an invalid character', '<gpx><trk><name>&#0;</name></trk></gpx>', 'parse_error'],
  ['two roots', '<gpx></gpx><gpx></gpx>', 'parse_error'],
  ['text after the root', '<gpx></gpx>x', 'parse_error'],
  ['an attribute given twice', '<gpx a="1" a="2"></gpx>', 'parse_error'],
  ['a strange encoding', '<?xml version="1.0" encoding="EBCDIC"?><gpx></gpx>', 'not_supported'],
])('XML with %s is refused', async (_, text, code) => {
  expect((await errorOf([fileOf('x.xml', Buffer.from(text))]))?.code).toBe(code);
});

test('an encoding without its closing quote is named in one line', async () => {
  const text = '<?xml version="1.0" encoding="UTF-8 ?>\n<gpx xmlns="x"></gpx>';
  const error = await errorOf([fileOf('x.xml', Buffer.from(text))]);
  expect(error?.message).toBe('the encoding “UTF-8 ?> <gpx xmlns=” is not read; save it as UTF-8');
});

test('JSON that would need gigabytes is refused before it is parsed', async () => {
  const text = `{"result":{"x":[${'{},'.repeat(9_000_000)}{}]}}`;
  expect((await errorOf([fileOf('x.json', Buffer.from(text))]))?.code).toBe('too_large');
});

test.each([
  [
    'table',
    'time,longitude,latitude,altitude,flight_id',
    (k: number) => `2027-01-01T00:00:00Z,1,2,30000,f${k}`,
  ],
  [
    'eurocontrol_rnd',
    'ECTRL ID,Sequence Number,Time Over,Flight Level,Latitude,Longitude',
    (k: number) => `${k},1,01-01-2027 00:00:00,300,1,2`,
  ],
  [
    'so6',
    'A_B EDDF LEMD A320 0 100 300 300 2 X 270101 270101 3000 0 3000 10 f 1 1 0',
    (k: number) => `A_B EDDF LEMD A320 0 100 300 300 2 X 270101 270101 3000 0 3000 10 ${k} 1 1 0`,
  ],
] as const)('a file with more flights than may be in memory is refused: %s', async (format, head, row) => {
  const text = `${[head, ...Array.from({ length: 50 }, (_, k) => row(k))].join('\n')}\n`;
  const { flights, report } = readFilesHere([fileOf('x', Buffer.from(text))], { maxFlights: 40 });
  expect(await Array.fromAsync(flights)).toEqual([]);
  expect(report.formats).toEqual([format]);
  expect(report.error).toEqual({
    code: 'too_large',
    message: 'the file has more than 40 flights; split it into smaller files',
  });
});

test('a Parquet table with more rows than are allowed is refused before they are read', async () => {
  const [bytes = Buffer.alloc(0)] = caseBytes(readCase('parquet-traffic'));
  const { flights, report } = readFilesHere([fileOf('x.parquet', bytes)], { maxRows: 3 });
  expect(await Array.fromAsync(flights)).toEqual([]);
  expect(report.error).toMatchObject({ code: 'too_large', message: expect.stringContaining('more than 3;') });
});

test('text that is not UTF-8 is read as Windows-1252, with a warning', async () => {
  const text =
    'time,longitude,latitude,altitude,callsign\n2027-01-01T00:00:00Z,1,2,30000,Z\xdcRI\n2027-01-01T00:01:00Z,2,2,30000,Z\xdcRI\n';
  const { flights, report } = await readText('x.csv', Buffer.from(text, 'latin1'));
  expect(flights[0]?.flight_id).toBe('ZÜRI');
  expect(report.warnings.map(({ code }) => code)).toEqual(['encoding']);
});

test('byte order marks, UTF-16, line ends and quotes change nothing', async () => {
  const text =
    'time,longitude,latitude,altitude\n2027-01-01T00:00:00Z,1,2,30000\n2027-01-01T00:01:00Z,2,2,30000\n';
  const variants = [
    `\uFEFF${text}`,
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    text.replaceAll(/[^,\n]+/g, '"$&"'),
    text.replaceAll(',', ';'),
    text.replaceAll(',', '\t'),
    text.replaceAll(',', ' , '),
  ].map((variant) => Buffer.from(variant));
  variants.push(Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
  const { flights: wanted } = await readText('x.csv', text);
  for (const variant of variants) {
    const { flights, report } = await readText('x.csv', variant);
    expect(report.warnings).toEqual([]);
    expect(flights).toEqual(wanted);
  }
});

test('a decimal comma is read where it does not separate cells', async () => {
  const text =
    'time;longitude;latitude;altitude\n2027-01-01T00:00:00Z;1,5;2;30000\n2027-01-01T00:01:00Z;2;2;30.000,5\n2027-01-01T00:02:00Z;2;2;30000\n';
  const { flights, report } = await readText('x.csv', text);
  expect(flights[0]?.longitude[0]).toBe(1.5);
  expect(report.refused).toEqual({ missing_altitude: 1 });
});

test('a stray quote costs one row', async () => {
  const row = (minute: number, id = 'a') => `2027-01-01T00:0${minute}:00Z,${minute},2,30000,${id}\n`;
  const text = `time,longitude,latitude,altitude,flight_id\n${row(0)}${row(1, '"a')}${row(2)}${row(3)}`;
  const { flights, report } = await readText('x.csv', text);
  expect(flights[0]?.timeMs).toHaveLength(3);
  expect(report.refused).toEqual({ parse_error: 1 });
});

const CUT = [
  'so6',
  'allft',
  'fr24-web-csv',
  'fr24-json',
  'gpx',
  'kml-track',
  'geojson',
  'fpl',
  'igc',
  'fdr-csv',
  'ofp-plain',
  'parquet-traffic',
  'eurocontrol-pair',
];

test.each(CUT)('a file that is cut off is never read in silence: %s', async (id) => {
  const one = readCase(id);
  const bytes = caseBytes(one);
  const last = bytes.at(-1) as Buffer;
  const text = last.toString('latin1');
  for (let length = 0; length < last.length; length += Math.max(1, Math.floor(last.length / 150))) {
    // Whole lines do not show that others followed.
    const isWhole = /\n$/.test(text.slice(0, length)) || /\n/.test(text[length] ?? '');
    const names = one.files;
    const files = bytes.map((content, k) =>
      fileOf(names[k] as string, k === bytes.length - 1 ? last.subarray(0, length) : content),
    );
    const { flights, report } = readFilesHere(files, one.options);
    const read = await Array.fromAsync(flights);
    const isHeard =
      report.error !== null ||
      report.warnings.some(({ code }) => code !== 'altitude_geometric') ||
      Object.keys(report.refused).length > 0;
    if (read.length > 0 && !isWhole) expect([length, isHeard]).toEqual([length, true]);
  }
});
