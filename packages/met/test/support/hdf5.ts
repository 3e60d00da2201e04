import h5wasm, { type Dataset } from 'h5wasm/node';

/** Named datasets of a small netCDF-4 file in memory, as doubles. */
export async function readDatasets(
  bytes: Uint8Array,
  names: readonly string[],
): Promise<Record<string, Float64Array>> {
  const module = await h5wasm.ready;
  module.FS.writeFile('datasets', bytes);
  const file = new h5wasm.File('datasets', 'r');
  const found = Object.fromEntries(
    names.map((name) => [
      name,
      Float64Array.from((file.get(name) as Dataset).value as ArrayLike<number | bigint>, Number),
    ]),
  );
  file.close();
  module.FS.unlink('datasets');
  return found;
}
