import type { ArrayDocuments } from './documents.ts';
import type { ChunkPacking } from './unpacking.ts';

/** How the chunks of an array are kept, where they can be unpacked piece by piece. */
export interface ChunkStorage {
  readonly packing: ChunkPacking;
  /** Key of a chunk. */
  keyOf(coordinates: readonly number[]): string;
}

/** Undefined where chunks need more than unpacking: filters, shards, checksums, other orders of bytes or dimensions. */
export function chunkStorageOf(array: string, documents: ArrayDocuments): ChunkStorage | undefined {
  const version3 = documents[`/${array}/zarr.json`];
  if (version3 !== undefined) return storage3(array, version3 as Metadata3);
  const version2 = documents[`/${array}/.zarray`];
  return version2 === undefined ? undefined : storage2(array, version2 as Metadata2);
}

interface Metadata2 {
  readonly compressor?: { readonly id?: string } | null;
  readonly filters?: readonly unknown[] | null;
  readonly order?: string;
  readonly dtype?: unknown;
  readonly dimension_separator?: string;
}

function storage2(array: string, metadata: Metadata2): ChunkStorage | undefined {
  const packing = PACKINGS.get(metadata.compressor?.id ?? 'none');
  const isPlain = metadata.order === 'C' && (metadata.filters ?? []).length === 0;
  if (packing === undefined || !isPlain || !/^[<|]/.test(String(metadata.dtype))) return undefined;
  const separator = metadata.dimension_separator ?? '.';
  return { packing, keyOf: (coordinates) => `/${array}/${coordinates.join(separator)}` };
}

interface Metadata3 {
  readonly codecs?: readonly (
    | string
    | { readonly name: string; readonly configuration?: { readonly endian?: string } }
  )[];
  readonly chunk_key_encoding?: {
    readonly name?: string;
    readonly configuration?: { readonly separator?: string };
  };
}

function storage3(array: string, { codecs = [], chunk_key_encoding: keys }: Metadata3) {
  const [bytes, compressor, ...others] = codecs.map((codec) =>
    typeof codec === 'string' ? { name: codec } : codec,
  );
  const packing = PACKINGS.get(compressor?.name.replace(/^numcodecs\./, '') ?? 'none');
  if (bytes?.name !== 'bytes' || bytes.configuration?.endian === 'big') return undefined;
  if (packing === undefined || others.length > 0) return undefined;
  const isDefault = (keys?.name ?? 'default') === 'default';
  const separator = keys?.configuration?.separator ?? (isDefault ? '/' : '.');
  const prefix = isDefault ? `/${array}/c${separator}` : `/${array}/`;
  return { packing, keyOf: (coordinates: readonly number[]) => `${prefix}${coordinates.join(separator)}` };
}

const PACKINGS: ReadonlyMap<string, ChunkPacking> = new Map(
  (['none', 'blosc', 'gzip', 'zlib', 'zstd'] as const).map((packing) => [packing, packing]),
);
