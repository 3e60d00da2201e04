/** Unpacks grids off the main thread, so the map keeps moving. */
import { type Grid, texelsOf, type UnitScale } from './grid.ts';
import { openNetcdf, release } from './read-netcdf.ts';

export type Wanted = Readonly<Record<string, UnitScale | null>>;

export interface DecodeRequest {
  readonly id: number;
  readonly bytes: ArrayBuffer;
  /** Variables to read and how each is drawn; null for values alone. */
  readonly wanted: Wanted;
}

export type DecodeResponse =
  | { readonly id: number; readonly grids: Readonly<Record<string, Grid>> }
  | { readonly id: number; readonly error: string };

self.onmessage = ({ data: { id, bytes, wanted } }: MessageEvent<DecodeRequest>) => {
  try {
    const file = openNetcdf(bytes);
    const grids: Record<string, Grid> = {};
    for (const [name, scale] of Object.entries(wanted)) {
      const variable = file.variables.get(name);
      if (variable === undefined) throw new Error(`the file has no variable ${name}`);
      const [columns = 0, rows = 0] = variable.shape;
      const values = variable.read();
      grids[name] = {
        values,
        columns,
        rows,
        ...(scale !== null && { texels: texelsOf(values, scale) }),
      };
    }
    const buffers = Object.values(grids).flatMap(({ values, texels }) =>
      texels === undefined ? [values.buffer] : [values.buffer, texels.buffer],
    );
    self.postMessage({ id, grids } satisfies DecodeResponse, { transfer: buffers });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    self.postMessage({ id, error: message } satisfies DecodeResponse);
  } finally {
    release(bytes);
  }
};
