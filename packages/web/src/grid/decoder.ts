import type { DecodeRequest, DecodeResponse, Wanted } from './decode.worker.ts';
import type { Grid } from './grid.ts';

type Grids = Readonly<Record<string, Grid>>;

let worker: Worker | undefined;
let nextId = 0;
const waiting = new Map<number, { resolve: (grids: Grids) => void; reject: (error: Error) => void }>();

/** Reads variables of a netCDF grid in a worker; the bytes are handed over. */
export function decodeGrids(bytes: ArrayBuffer, wanted: Wanted): Promise<Grids> {
  worker ??= startWorker();
  const id = nextId++;
  worker.postMessage({ id, bytes, wanted } satisfies DecodeRequest, { transfer: [bytes] });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function startWorker(): Worker {
  const started = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' });
  started.onmessage = ({ data }: MessageEvent<DecodeResponse>) => {
    const caller = waiting.get(data.id);
    waiting.delete(data.id);
    if ('grids' in data) caller?.resolve(data.grids);
    else caller?.reject(new Error(data.error));
  };
  return started;
}
