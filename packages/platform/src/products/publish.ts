import { Readable } from 'node:stream';
import { createCatalogue, type Product } from '../database/catalogue.ts';
import type { Database } from '../database/database.ts';
import type { Store } from '../store/store.ts';
import type { ChunkRange } from './read.ts';

/** A product that is to be published. Its key covers all that the bytes depend on: the same key always has the same bytes. */
export interface ProductDraft extends Omit<Product, 'sha256' | 'size' | 'createdMs'> {
  readonly chunks: readonly Uint8Array[];
}

export interface ProductStore {
  readonly store: Store;
  readonly database: Database;
}

/**
 * Puts the files of drafts that belong together into the store, then all of them into the catalogue at once: a reader
 * that finds one finds the others, and whole files.
 */
export async function publishProducts(
  { store, database }: ProductStore,
  drafts: readonly ProductDraft[],
  signal: AbortSignal,
): Promise<void> {
  const written: Omit<Product, 'createdMs'>[] = [];
  for (const { chunks, ...product } of drafts) {
    const body = Readable.from(chunks, { objectMode: false });
    const { sha256, size } = await store.put(product.key, body, { signal });
    written.push({ ...product, sha256, size });
  }
  const createdMs = Date.now();
  await database.transaction(async (tx) => {
    const catalogue = createCatalogue(tx);
    for (const product of written) await catalogue.put({ ...product, createdMs });
  });
}

/** Where some of the chunks of a file are in it; a piece is one of the chunks itself, not a copy. */
export function chunkRangesOf(chunks: readonly Uint8Array[], pieces: readonly Uint8Array[]): ChunkRange[] {
  const starts = new Map<Uint8Array, number>();
  let position = 0;
  for (const chunk of chunks) {
    starts.set(chunk, position);
    position += chunk.length;
  }
  return pieces.map((piece) => {
    const first = starts.get(piece);
    if (first === undefined) throw new RangeError('the piece is not a chunk of the file');
    return { first, size: piece.length };
  });
}
