import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileOf, formatHere, readFilesHere } from '../../src/files/node-host.ts';
import { readText } from './support.ts';

const TRACK = (name: string) =>
  `<Placemark>${name}<gx:Track><when>2027-01-01T00:00:00Z</when><when>2027-01-01T01:00:00Z</when><gx:coord>1 50 9000</gx:coord><gx:coord>9 50 9000</gx:coord></gx:Track></Placemark>`;
const KML = (...names: string[]) => `<kml xmlns:gx="gx">${names.map(TRACK).join('')}</kml>`;
const ICON = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
const SEVEN_ZIP = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]);

test('names flights of a KMZ after the archive, and skips its pictures', async () => {
  const kmz = zip({ 'files/icon.png': ICON, 'doc.kml': KML('', '<name>own</name>', '') });
  const { flights, report } = await readText('folder/trip.2027.kmz', kmz);
  expect(flights.map(({ flight_id: id }) => id)).toEqual(['trip 1', 'own', 'trip 2']);
  expect(report.warnings.filter(({ code }) => code === 'not_supported')).toEqual([
    { code: 'not_supported', message: expect.stringMatching(/^files\/icon\.png: /) },
  ]);
  expect(await formatHere(fileOf('trip.kmz', kmz))).toBe('kml');
});

test('reads the members of a zip archive beside one that is never read', async () => {
  const archive = zip({ 'a/one.kml': KML(''), 'more.7z': SEVEN_ZIP, 'b/two.kml.gz': gzipSync(KML('')) });
  const { flights, report } = await readText('x.zip', archive);
  expect(flights.map(({ flight_id: id }) => id)).toEqual(['one', 'two']);
  expect(report.warnings.map(({ message }) => message)).toContain(
    'more.7z: 7z archives are not read; unpack it first',
  );
});

test('limits all members of an archive together, however often they are read', async () => {
  const blank = `time,longitude,latitude,altitude\n${'\n'.repeat(2 ** 20)}`;
  const members = Object.fromEntries([1, 2, 3].map((k) => [`${k}.csv`, blank]));
  const read = async (maxBytes: number) => {
    const { flights, report } = readFilesHere([fileOf('x.zip', zip(members))], { maxBytes });
    await Array.fromAsync(flights);
    return report;
  };
  expect((await read(4 * 2 ** 20)).error?.code).toBe('no_flights');
  expect((await read(2.5 * 2 ** 20)).error).toEqual({
    code: 'too_large',
    message: 'the unpacked content has more than 2 MiB; split it into smaller files',
  });
});

/** An archive as zip programs write it (APPNOTE 6.3). */
function zip(members: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...entries, end]);
}
