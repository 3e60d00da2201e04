import h5wasm, { type Dataset } from 'h5wasm/node';

/** Named datasets of a small netCDF-4 file, as doubles. */
export async function readDatasets(
  path: string,
  names: readonly string[],
): Promise<Record<string, Float64Array>> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'r');
  const found = Object.fromEntries(
    names.map((name) => [
      name,
      Float64Array.from((file.get(name) as Dataset).value as ArrayLike<number | bigint>, Number),
    ]),
  );
  file.close();
  return found;
}
