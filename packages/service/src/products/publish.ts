import { Readable } from 'node:stream';
import { createCatalogue } from '@contrails/platform/database/catalogue';
import type { Database } from '@contrails/platform/database/database';
import type { Store, WrittenObject } from '@contrails/platform/store/store';
import type { ProductGroup, ProductManifest } from './manifest.ts';

/** A product that is to be published. */
export interface ProductDraft {
  /** Says everything that the bytes depend on: the same key always has the same bytes. */
  readonly key: string;
  readonly family: ProductGroup;
  readonly kind: string;
  readonly validTimeMs: number;
  readonly referenceTimeMs: number | null;
  readonly chunks: readonly Uint8Array[];
  readonly manifest: ProductManifest;
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
  const written: (Pick<WrittenObject, 'sha256' | 'size'> & { readonly draft: ProductDraft })[] = [];
  for (const draft of drafts) {
    const body = Readable.from(draft.chunks, { objectMode: false });
    written.push({ draft, ...(await store.put(draft.key, body, { signal })) });
  }
  const createdMs = Date.now();
  await database.transaction(async (tx) => {
    const catalogue = createCatalogue(tx);
    for (const { draft, sha256, size } of written) {
      const { radiation } = draft.manifest.weather;
      await catalogue.put({
        key: draft.key,
        family: draft.family,
        kind: draft.kind,
        validTimeMs: draft.validTimeMs,
        referenceTimeMs: draft.referenceTimeMs,
        attributes: {
          levels: draft.manifest.flight_levels.join(','),
          edition: draft.manifest.model.settings,
          source: draft.manifest.weather.source ?? '',
          ...(radiation === undefined || radiation === 'own' ? {} : { radiation }),
        },
        sha256,
        size,
        createdMs,
        manifest: { ...draft.manifest },
      });
    }
  });
}
