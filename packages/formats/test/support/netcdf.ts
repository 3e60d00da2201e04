import h5wasm, { type Dataset } from 'h5wasm/node';

/** Numeric variables of a small netCDF-4 file, with their shapes. */
export async function readVariables(
  path: string,
): Promise<Record<string, { values: Float64Array; shape: number[] }>> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'r');
  const found = Object.fromEntries(
    file.keys().map((name) => {
      const dataset = file.get(name) as Dataset;
      const values = Float64Array.from(dataset.value as ArrayLike<number | bigint>, Number);
      return [name, { values, shape: dataset.shape ?? [] }];
    }),
  );
  file.close();
  return found;
}
