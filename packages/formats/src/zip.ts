/** ZIP archives (PKWARE 6.3.3), deflated, for files of up to 4 GiB. */
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  read(): Promise<Uint8Array>;
}

const deflate = promisify(deflateRaw);

/** 1 January 1980: the same files give the same bytes. */
const DOS_DATE = 33;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION = 20;

/** The archive as chunks; one entry at a time is in memory. */
export async function* writeZip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let [offset, count] = [0, 0];
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = await entry.read();
    const packed = await deflate(content);
    const about = describe(crc32(content), packed.length, content.length, name.length);
    const header = Buffer.concat([signature(0x04034b50), about, name]);
    const central = Buffer.alloc(46);
    signature(0x02014b50).copy(central, 0);
    central.writeUInt16LE(VERSION, 4);
    about.copy(central, 6);
    central.writeUInt32LE(offset, 42);
    directory.push(central, name);
    offset += header.length + packed.length;
    count++;
    yield header;
    yield packed;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  signature(0x06054b50).copy(end, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  yield listed;
  yield end;
}

/** What the header of an entry and its line in the directory share. */
function describe(sum: number, packed: number, size: number, nameLength: number): Buffer {
  const about = Buffer.alloc(26);
  about.writeUInt16LE(VERSION, 0);
  about.writeUInt16LE(UTF8_NAMES, 2);
  about.writeUInt16LE(DEFLATED, 4);
  about.writeUInt16LE(DOS_DATE, 8);
  about.writeUInt32LE(sum, 10);
  about.writeUInt32LE(packed, 14);
  about.writeUInt32LE(size, 18);
  about.writeUInt16LE(nameLength, 22);
  return about;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
