import type { Readable } from 'node:stream';
import { NotFoundError, UnavailableError } from '@contrails/runtime/errors';
import type { Product } from '../database/catalogue.ts';
import type { ByteRange, Store } from '../store/index.ts';

/** Where the bytes of something are in a file. */
export interface ChunkRange {
  readonly first: number;
  readonly size: number;
}

/** The file of a product is missing or has other bytes than the catalogue lists. */
export class LostProductError extends NotFoundError {
  readonly product: Product;

  constructor(product: Product) {
    super(`${product.key} is not stored as the catalogue lists it and is computed again; ask again later`, {
      retryAfterSeconds: 60,
    });
    this.product = product;
  }
}

/** Bytes of some ranges of a product, in their order. Nearby ranges are read in one go. */
async function readRanges(
  store: Pick<Store, 'read'>,
  product: Product,
  ranges: readonly ChunkRange[],
): Promise<Uint8Array[]> {
  const wanted = ranges.reduce((sum, { size }) => sum + size, 0);
  const first = Math.min(...ranges.map((range) => range.first));
  const end = Math.max(...ranges.map((range) => range.first + range.size));
  if (end - first > 2 * wanted) {
    return Promise.all(ranges.map((range) => readBytes(store, product, rangeOf(range))));
  }
  const span = await readBytes(store, product, { first, last: end - 1 });
  return ranges.map((range) => span.subarray(range.first - first, range.first - first + range.size));
}

/** What `ranges` gives for each part of a product, such as a level of a grid, read from the files the parts are in. */
export async function readParts<Part extends { readonly product: Product }>(
  store: Pick<Store, 'read'>,
  parts: readonly Part[],
  ranges: (part: Part) => readonly ChunkRange[],
): Promise<Uint8Array[][]> {
  const byFile = [...Map.groupBy(parts, ({ product }) => product.key).values()];
  const pieces = new Map<Part, Uint8Array[]>();
  await Promise.all(
    byFile.map(async (members) => {
      const [{ product }] = members as [Part];
      const wanted = members.map(ranges);
      const bytes = await readRanges(store, product, wanted.flat());
      let next = 0;
      members.forEach((member, k) => {
        const count = wanted[k]?.length ?? 0;
        pieces.set(member, bytes.slice(next, next + count));
        next += count;
      });
    }),
  );
  return parts.map((part) => pieces.get(part) ?? []);
}

async function readBytes(
  store: Pick<Store, 'read'>,
  product: Product,
  range: ByteRange,
): Promise<Uint8Array> {
  const opened = await store.read(product.key, range);
  if (opened?.info.sha256 === product.sha256) return bytesOf(opened.body);
  opened?.body.destroy();
  throw new LostProductError(product);
}

/** Without a copy of what comes in one piece, and without waiting until the file behind it is closed. */
function bytesOf(body: Readable): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    body
      .on('data', (piece: Uint8Array) => pieces.push(piece))
      .once('end', () => {
        const [only] = pieces;
        resolve(only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces));
      })
      .once('error', reject)
      // Comes after the end too, and then changes nothing.
      .once('close', () => reject(new UnavailableError('a stored product broke off while it was read')));
  });
}

function rangeOf({ first, size }: ChunkRange): ByteRange {
  return { first, last: first + size - 1 };
}
