/** Members of a zip archive that is in memory (APPNOTE 6.3, without Zip64 and encryption). */
import { type Bytes, DamagedBytes, type FileHost, type FlightFile } from './bytes.ts';
import { FlightFileError } from './refusals.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const [END_BYTES, ENTRY_BYTES, LOCAL_BYTES] = [22, 46, 30];
const MAX_COMMENT_BYTES = 65_535;
const MAX_MEMBERS = 10_000;
const ZIP64 = 0xffffffff;
const [STORED, DEFLATED] = [0, 8];

/** Members that are files, in the order of the archive; each is unpacked when it is opened. */
export function zipMembers(archive: Uint8Array, host: FileHost): FlightFile[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_MEMBERS)
    throw new FlightFileError(
      'too_large',
      `the zip archive has ${count} members; give at most ${MAX_MEMBERS}`,
    );
  const members: FlightFile[] = [];
  let at = view.getUint32(end + 16, true);
  if (at === ZIP64)
    throw new FlightFileError('not_supported', 'Zip64 archives are not read; unpack it first');
  for (let k = 0; k < count; k++) {
    if (at + ENTRY_BYTES > archive.length || view.getUint32(at, true) !== ENTRY) throw damaged();
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const crc = view.getUint32(at + 16, true);
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(archive.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes));
    at += ENTRY_BYTES + nameBytes + extra + comment;
    if (name.endsWith('/') || size === 0) continue;
    if (flags & 1)
      throw new FlightFileError('not_supported', 'the zip archive is encrypted; unpack it first');
    if (method !== STORED && method !== DEFLATED) {
      throw new FlightFileError(
        'not_supported',
        `${name} in the zip archive is compressed in an unusual way (method ${method}); unpack it first`,
      );
    }
    members.push({
      name,
      open: () => openMember(archive, view, { local, packed, method, crc, size }, host),
    });
  }
  if (members.length === 0) throw new FlightFileError('empty', 'the zip archive has no files');
  return members;
}

interface Member {
  readonly local: number;
  readonly packed: number;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
}

async function* openMember(
  archive: Uint8Array,
  view: DataView,
  { local, packed, method, crc, size }: Member,
  host: FileHost,
): AsyncGenerator<Uint8Array> {
  if (local + LOCAL_BYTES > archive.length || view.getUint32(local, true) !== LOCAL) throw damaged();
  const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packed > archive.length) throw damaged();
  const bytes = once(archive.subarray(start, start + packed));
  let sum = 0xffffffff;
  let count = 0;
  for await (const chunk of method === STORED ? bytes : host.decompress('deflate-raw', bytes)) {
    sum = crc32(sum, chunk);
    count += chunk.length;
    if (count > size) throw new DamagedBytes('the zip archive is damaged: a member is longer than stated');
    yield chunk;
  }
  if ((sum ^ 0xffffffff) >>> 0 !== crc || count !== size)
    throw new DamagedBytes('the zip archive is damaged: a checksum is wrong');
}

const SLICE_BYTES = 65_536;

async function* once(bytes: Uint8Array): Bytes & AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw damaged();
}

function damaged(): FlightFileError {
  return new FlightFileError('parse_error', 'the zip archive is damaged or cut off; get the file again');
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(sum: number, bytes: Uint8Array): number {
  let value = sum;
  for (let k = 0; k < bytes.length; k++) {
    value = (CRC_TABLE[(value ^ (bytes[k] as number)) & 0xff] as number) ^ (value >>> 8);
  }
  return value;
}
