/** Files as bytes: unpacked, and their first bytes to recognise a format by. */
import { asFileError, concat, DamagedBytes, type FileHost, type FlightFile, gather } from './bytes.ts';
import { type Table, tableOf } from './cells.ts';
import { decodeHead } from './encoding.ts';
import { FlightFileError } from './refusals.ts';
import { zipMembers } from './zip.ts';

/** Bytes read to recognise a format. */
const HEAD_BYTES = 65_536;
/** A zip archive is held in memory as it is, because its list of members is at its end. */
const MAX_ZIP_BYTES = 512 * 2 ** 20;
const MAX_LAYERS = 2;

/** The first bytes of an unpacked file. */
export class Head {
  readonly bytes: Uint8Array;
  /** Without a byte order mark and leading blanks; decoded as well as they can be. */
  readonly text: string;
  /** The file has no more bytes than these. */
  readonly isWhole: boolean;
  private cachedTable: Table | undefined;

  constructor(bytes: Uint8Array, isWhole: boolean) {
    this.bytes = bytes;
    this.isWhole = isWhole;
    this.text = decodeHead(bytes).trimStart();
  }

  /** Lines that are not blank; the last may be cut. */
  get lines(): string[] {
    return this.text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  }

  /** The text as a table. */
  get table(): Table {
    this.cachedTable ??= tableOf(this.lines[0] ?? '');
    return this.cachedTable;
  }
}

/** A file that is not packed, or a member of an archive. */
export interface Content extends FlightFile {
  readonly head: Head;
}

/**
 * The files within a file: itself, what is compressed in it, or the members of an archive. What cannot be unpacked is refused;
 * other members are read.
 */
export async function* unpack(
  file: FlightFile,
  host: FileHost,
  onRefused: (error: FlightFileError, name: string) => void,
  layer = 0,
): AsyncGenerator<Content> {
  try {
    const { bytes, isWhole } = await firstBytes(file);
    const packing = packingOf(bytes);
    if (packing === undefined) yield { ...file, head: new Head(bytes, isWhole) };
    else
      for await (const inner of within(file, packing, host, layer))
        yield* unpack(inner, host, onRefused, layer + 1);
  } catch (error) {
    const reason = asFileError(error);
    if (!(reason instanceof FlightFileError)) throw error;
    onRefused(reason, file.name);
  }
}

async function* within(
  file: FlightFile,
  packing: Packing,
  host: FileHost,
  layer: number,
): AsyncGenerator<FlightFile> {
  if ('refused' in packing)
    throw new FlightFileError('not_supported', `${packing.refused} are not read; unpack it first`);
  if (layer >= MAX_LAYERS) {
    throw new FlightFileError('not_supported', 'the file is packed more than twice; unpack it first');
  }
  const { kind } = packing;
  if (kind === 'zip') {
    const members = zipMembers(await gather(file.open(), MAX_ZIP_BYTES, 'zip archive'), host);
    for (const member of members) yield named(member, file);
    return;
  }
  yield {
    name: file.name.replace(/\.(gz|zst|zstd)$/i, ''),
    open: () => host.decompress(kind, file.open()),
  };
}

/** The document of a KMZ file is always called `doc.kml`; the archive has the meaningful name. */
function named(member: FlightFile, archive: FlightFile): FlightFile {
  return member.name === 'doc.kml' ? { ...member, name: archive.name } : member;
}

type Packing = { readonly kind: 'gzip' | 'zstd' | 'zip' } | { readonly refused: string };

const PACKINGS: readonly (readonly [magic: readonly number[], packing: Packing])[] = [
  [[0x1f, 0x8b], { kind: 'gzip' }],
  [[0x28, 0xb5, 0x2f, 0xfd], { kind: 'zstd' }],
  [[0x50, 0x4b, 0x03, 0x04], { kind: 'zip' }],
  [[0x50, 0x4b, 0x05, 0x06], { kind: 'zip' }],
  [[0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], { refused: '7z archives' }],
  [[0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], { refused: 'RAR archives' }],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], { refused: 'xz files' }],
  [[0x42, 0x5a, 0x68], { refused: 'bzip2 files' }],
];

function packingOf(head: Uint8Array): Packing | undefined {
  return PACKINGS.find(([magic]) => magic.every((byte, k) => head[k] === byte))?.[1];
}

async function firstBytes(file: FlightFile): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file.open()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > HEAD_BYTES) break;
    }
  } catch (error) {
    // The reader meets the damage again, after what comes before it.
    if (!(error instanceof DamagedBytes) || size === 0) throw asFileError(error);
  }
  return { bytes: concat(chunks).subarray(0, HEAD_BYTES), isWhole: size <= HEAD_BYTES };
}
