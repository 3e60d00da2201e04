import { HOUR_MS } from '@contrails/runtime';
import { findImplausible } from '../field/plausibility.ts';
import { type Product, readProduct } from '../sources/grib/product.ts';
import { type FieldSections, fieldsOf, type Section, viewOf } from '../sources/grib/sections.ts';
import { decodeValues } from '../sources/grib/values.ts';
import { RemoteFailure } from '../sync/failures.ts';
import type { Piece } from '../sync/provider.ts';

const INDICATOR_LENGTH = 16;
const END_LENGTH = 4;
const HEADER_LENGTH = 5;

/** Verifies that bytes are one whole message of edition 2, and returns those of its fields that the models use, without their values. */
async function inspectMessage(bytes: Uint8Array, what: string): Promise<Product[]> {
  const damage = damageOf(bytes);
  if (damage !== undefined) throw damaged(what, damage);
  const fields: Product[] = [];
  const part = ({ offset, length }: Section) => bytes.subarray(offset, offset + length);
  for await (const { discipline, identification, product } of sectionsIn(bytes)) {
    const field = readProduct(discipline, part(identification), part(product));
    if (field !== undefined) fields.push(field);
  }
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

/** What readers take the parameters of an index for. */
export type VariablesOf = Readonly<Record<string, string>>;

/** Refuses a message that is damaged, or another one than the index says. */
export async function checkMessage(
  bytes: Uint8Array,
  piece: Piece,
  runMs: number,
  variablesOf: VariablesOf,
  path: string,
): Promise<void> {
  const what = `${piece.param}${piece.level === null ? '' : ` ${piece.level} hPa`}`;
  const fields = await inspectMessage(bytes, what);
  const params = piece.param.split('+');
  const isAsIndexed = params.every((param) =>
    fields.some(
      ({ variable, levelKind, level, referenceTimeMs, timeMs, member }) =>
        variable === variablesOf[param] &&
        (piece.level === null
          ? levelKind !== 'isobaric'
          : levelKind === 'isobaric' && level === piece.level) &&
        referenceTimeMs === runMs &&
        timeMs === runMs + piece.step * HOUR_MS &&
        (piece.member === undefined || member === piece.member),
    ),
  );
  if (!isAsIndexed) {
    const why = `the index of ${path} does not describe its file`;
    throw new RemoteFailure('refused', `${why} (${what})`, `is inconsistent: ${why} (${what})`);
  }
}

/** Refuses a field that cannot be unpacked, or whose values are not possible. */
export async function checkValues(bytes: Uint8Array, what: string, variable: string): Promise<void> {
  for await (const { representation, bitmap, data, grid } of sectionsIn(bytes)) {
    const part = ({ offset, length }: { offset: number; length: number }) =>
      bytes.subarray(offset, offset + length);
    const points = viewOf(part(grid)).getUint32(6);
    const values = await decodeValues(part(representation), part(bitmap), part(data), points).catch(
      (error: Error) => {
        throw damaged(what, error.message);
      },
    );
    const wrong = findImplausible(variable, values);
    if (wrong !== undefined) throw damaged(what, `a value is ${wrong}`);
  }
}
