/** GRIB edition 2: a file is a row of messages, a message a row of numbered sections. */

/** Range of a section, from the start of its file [bytes]. */
export interface Section {
  readonly offset: number;
  readonly length: number;
}

/** Sections of one field; a message may hold several fields that share the earlier sections. */
export interface FieldSections {
  readonly discipline: number;
  readonly identification: Section;
  readonly grid: Section;
  readonly product: Section;
  readonly representation: Section;
  readonly bitmap: Section;
  readonly data: Section;
}

/** Reads part of a file. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

const INDICATOR_LENGTH = 16;
const END = 0x37373737;
/** Sections up to this length are read with their header in one go. */
const HEADER_LENGTH = 5;

/** Every field of a file, found by hopping from section to section; no data are read. */
export async function* fieldsOf(read: ReadBytes, fileLength: number): AsyncGenerator<FieldSections> {
  let offset = 0;
  while (offset < fileLength) {
    const indicator = await read(offset, INDICATOR_LENGTH);
    const view = viewOf(indicator);
    if (indicator.length < INDICATOR_LENGTH || view.getUint32(0) !== 0x47524942) {
      throw new RangeError(`no GRIB message begins at byte ${offset}`);
    }
    if (view.getUint8(7) !== 2)
      throw new RangeError(`byte ${offset}: GRIB edition ${view.getUint8(7)}, only 2 is read`);
    const length = Number(view.getBigUint64(8));
    if (length < INDICATOR_LENGTH) throw new RangeError(`the message at byte ${offset} has no length`);
    if (offset + length > fileLength) throw new RangeError(`the message at byte ${offset} is cut off`);
    yield* fieldsOfMessage(read, offset, length, view.getUint8(6));
    offset += length;
  }
}

async function* fieldsOfMessage(
  read: ReadBytes,
  start: number,
  length: number,
  discipline: number,
): AsyncGenerator<FieldSections> {
  const known: (Section | undefined)[] = [];
  let lastBitmap: Section | undefined;
  for (let offset = start + INDICATOR_LENGTH; offset < start + length; ) {
    const header = await read(offset, HEADER_LENGTH + 1);
    const view = viewOf(header);
    if (header.length >= 4 && view.getUint32(0) === END) return;
    const sectionLength = view.getUint32(0);
    const number = view.getUint8(4);
    if (sectionLength < HEADER_LENGTH || offset + sectionLength > start + length) {
      throw new RangeError(`section ${number} at byte ${offset} reaches beyond its message`);
    }
    const section = { offset, length: sectionLength };
    known[number] = section;
    if (number === 6) {
      const repeatsEarlier = view.getUint8(5) === 254;
      if (repeatsEarlier) known[6] = lastBitmap;
      else lastBitmap = section;
    }
    if (number === 7) {
      const [, identification, , grid, product, representation, bitmap, data] = known;
      if (!identification || !grid || !product || !representation || !bitmap || !data) {
        throw new RangeError(`the field at byte ${offset} lacks a section`);
      }
      yield { discipline, identification, grid, product, representation, bitmap, data };
    }
    offset += sectionLength;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** GRIB keeps signs as a leading bit. */
export function signed(value: number, bits: number): number {
  const sign = 2 ** (bits - 1);
  return value >= sign ? sign - value : value;
}
