import { HOUR_MS } from '@contrails/runtime';
import { readCode } from '../sources/grib/parameters.ts';
import { readTimes } from '../sources/grib/product.ts';
import { type FieldSections, fieldsOf, signed, viewOf } from '../sources/grib/sections.ts';
import { decodeValues } from '../sources/grib/values.ts';
import { RemoteFailure } from '../sync/failures.ts';
import type { Piece } from '../sync/provider.ts';

/** What one field of a message says it is. */
export interface MessageField {
  /** Discipline, category and number: `0.0.0`. */
  readonly code: string;
  /** [hPa] on pressure levels. */
  readonly level: number | null;
  readonly referenceMs: number;
  /** End of the interval, or the time of the value [h since the reference]. */
  readonly step: number;
  readonly member: number | undefined;
}

const INDICATOR_LENGTH = 16;
const END_LENGTH = 4;
const HEADER_LENGTH = 5;
const ISOBARIC = 100;

/** Verifies that bytes are one whole message of edition 2, and returns its fields without unpacking their values. */
async function inspectMessage(bytes: Uint8Array, what: string): Promise<MessageField[]> {
  const damage = damageOf(bytes);
  if (damage !== undefined) throw damaged(what, damage);
  const fields: MessageField[] = [];
  for await (const sections of sectionsIn(bytes)) fields.push(fieldOf(bytes, sections));
  return fields;
}

function damaged(what: string, why: string): RemoteFailure {
  return new RemoteFailure(
    'damaged',
    `message ${what} is damaged (${why})`,
    `sent a damaged message (${why})`,
  );
}

function damageOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < INDICATOR_LENGTH + END_LENGTH) return 'it is too short';
  const view = viewOf(bytes);
  if (view.getUint32(0) !== 0x47524942) return 'no GRIB at its beginning';
  if (view.getUint8(7) !== 2) return `edition ${view.getUint8(7)}`;
  const length = Number(view.getBigUint64(8));
  if (length !== bytes.length) return `its length is ${length} and not ${bytes.length} bytes`;
  if (view.getUint32(length - END_LENGTH) !== 0x37373737) return 'no 7777 at its end';
  let offset = INDICATOR_LENGTH;
  while (offset < length - END_LENGTH) {
    const section = offset + HEADER_LENGTH <= length ? view.getUint32(offset) : 0;
    const number = view.getUint8(offset + END_LENGTH);
    if (section < HEADER_LENGTH || number < 1 || number > 7) return `no section at byte ${offset}`;
    offset += section;
  }
  return offset === length - END_LENGTH ? undefined : 'its sections do not add up to its length';
}

function sectionsIn(bytes: Uint8Array): AsyncGenerator<FieldSections> {
  return fieldsOf(async (offset, length) => bytes.subarray(offset, offset + length), bytes.length);
}

function fieldOf(bytes: Uint8Array, { discipline, identification, product }: FieldSections): MessageField {
  const header = bytes.subarray(identification.offset, identification.offset + identification.length);
  const section = bytes.subarray(product.offset, product.offset + product.length);
  const view = viewOf(section);
  const { category, number } = readCode(discipline, header, section);
  const { referenceTimeMs, timeMs, member } = readTimes(header, section);
  const isIsobaric = view.getUint8(22) === ISOBARIC;
  return {
    code: `${discipline}.${category}.${number}`,
    level: isIsobaric ? (view.getUint32(24) * 10 ** -signed(view.getUint8(23), 8)) / 100 : null,
    referenceMs: referenceTimeMs,
    step: (timeMs - referenceTimeMs) / HOUR_MS,
    member,
  };
}

/** Codes of the parameters that are asked for, of which a message has one; `0.5.` is a category. */
export type CodesOf = Readonly<Record<string, readonly string[]>>;

/** Refuses a message that is damaged, or another one than the index says. */
export async function checkMessage(
  bytes: Uint8Array,
  piece: Piece,
  runMs: number,
  codesOf: CodesOf,
  path: string,
): Promise<void> {
  const what = `${piece.param}${piece.level === null ? '' : ` ${piece.level} hPa`}`;
  const fields = await inspectMessage(bytes, what);
  const params = piece.param.split('+');
  const isAsIndexed = params.every((param) =>
    fields.some(
      ({ code, level, referenceMs, step, member }) =>
        (codesOf[param] ?? []).some((known) =>
          known.endsWith('.') ? code.startsWith(known) : code === known,
        ) &&
        (piece.level === null || level === piece.level) &&
        referenceMs === runMs &&
        step === piece.step &&
        (piece.member === undefined || member === piece.member),
    ),
  );
  if (!isAsIndexed) {
    const why = `the index of ${path} does not describe its file`;
    throw new RemoteFailure('refused', `${why} (${what})`, `is inconsistent: ${why} (${what})`);
  }
}

/** Refuses a field that cannot be unpacked, or whose values are not possible. */
export async function checkValues(
  bytes: Uint8Array,
  what: string,
  [min, max]: readonly [min: number, max: number],
): Promise<void> {
  for await (const { representation, bitmap, data, grid } of sectionsIn(bytes)) {
    const part = ({ offset, length }: { offset: number; length: number }) =>
      bytes.subarray(offset, offset + length);
    const points = viewOf(part(grid)).getUint32(6);
    const values = await decodeValues(part(representation), part(bitmap), part(data), points).catch(
      (error: Error) => {
        throw damaged(what, error.message);
      },
    );
    const wrong = findOutside(values, min, max);
    if (wrong !== undefined) throw damaged(what, `a value is ${wrong}`);
  }
}

function findOutside(values: Float32Array, min: number, max: number): number | undefined {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < min || value > max) return value;
  }
  return undefined;
}
