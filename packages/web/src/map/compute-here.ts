/** A contrail grid computed on this device: the weather comes from the service, and a worker computes. */
import { ContrailsError, type FlightLevel } from '@contrails/client';
import type { GridRequest } from '../compute/contrail-grid.ts';
import type { ComputeAnswer, ComputedGrid, ComputeMessage } from '../compute/grid.worker.ts';
import { boxOf, contains, type Region, reachOf, type Wind } from '../compute/region.ts';
import type { UnitScale } from '../grid/grid.ts';
import { service } from '../service.ts';
import { bytesText } from '../text.ts';
import { weatherFields } from './map-data.ts';
import { HOUR_MS, hourText } from './map-state.ts';

export interface HereRequest extends GridRequest {
  readonly flightLevel: FlightLevel;
}

export interface HereResult extends ComputedGrid {
  readonly request: HereRequest;
  /** What was downloaded for it; 0 where the weather was here already. */
  readonly weatherBytes: number;
}

/** What is going on, and the share of it that is done where that is known. */
export interface HereProgress {
  readonly text: string;
  readonly share: number | undefined;
}

interface HereOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: HereProgress) => void;
}

/** Hours for which contrails are followed. */
export const LIFE_HOURS = 12;

/** The weather that the worker has. */
interface Held {
  readonly name: string;
  readonly timeMs: number;
  readonly box: Region;
}

let worker: Worker | undefined;
let held: Held | undefined;
let downloads = 0;

/** Throws an error whose message is for the visitor. One computation runs at a time. */
export async function computeHere(
  request: HereRequest,
  scale: UnitScale,
  { signal, onProgress }: HereOptions,
): Promise<HereResult> {
  onProgress({ text: 'Looking at the winds…', share: undefined });
  const box = reachOf(request.region, await windsOf(request), LIFE_HOURS);
  signal.throwIfAborted();
  const isHeld = held !== undefined && held.timeMs === request.timeMs && contains(held.box, box);
  const bytes = isHeld ? undefined : await download(request, box, { signal, onProgress });
  const weatherBytes = bytes?.byteLength ?? 0;
  const weather = isHeld && held !== undefined ? held : newlyHeld(request, box);
  onProgress({ text: 'Starting the GPU…', share: undefined });
  // Kept by the worker from here on, unless it fails.
  held = undefined;
  const computed = await askWorker(
    { request, scale, weather: { name: weather.name, ...(bytes && { bytes }) } },
    { signal, onProgress },
  );
  held = weather;
  return { ...computed, request, weatherBytes };
}

function newlyHeld({ timeMs }: HereRequest, box: Region): Held {
  downloads += 1;
  return { name: `download ${downloads}`, timeMs, box };
}

/** Winds of the level when contrails form, in the middle and at the end of their lives, as far as there is weather. */
async function windsOf({ timeMs, flightLevel }: HereRequest): Promise<Wind[]> {
  const found = await Promise.allSettled(
    [0, LIFE_HOURS / 2, LIFE_HOURS].map((hours) =>
      weatherFields({ timeMs: timeMs + hours * HOUR_MS, flightLevel }),
    ),
  );
  const [first] = found;
  if (first?.status === 'rejected') throw first.reason;
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

async function download(
  { timeMs }: HereRequest,
  box: Region,
  { signal, onProgress }: HereOptions,
): Promise<ArrayBuffer> {
  onProgress({ text: 'Waiting for the weather of the region…', share: undefined });
  const query = { time: hourText(timeMs), hours: LIFE_HOURS, bbox: boxOf(box) };
  const file = await service.grid.contrailWeather(query, { signal }).catch((error: unknown) => {
    const isTooLarge =
      error instanceof ContrailsError && error.fields.some(({ path }) => path.startsWith('query.bbox'));
    throw isTooLarge ? new Error(`Zoom in: ${error.message}`, { cause: error }) : error;
  });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = file.stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value;
    parts.push(part);
    received += part.length;
    const { size } = file;
    onProgress({
      text: `Downloading weather, ${bytesText(received)}${size === undefined ? '' : ` of ${bytesText(size)}`}`,
      share: size && received / size,
    });
  }
  return new Blob(parts).arrayBuffer();
}

/** Cancelling ends the worker: a computation on a GPU has no other end. */
function askWorker(message: ComputeMessage, { signal, onProgress }: HereOptions): Promise<ComputedGrid> {
  worker ??= new Worker(new URL('../compute/grid.worker.ts', import.meta.url), { type: 'module' });
  const used = worker;
  const end = () => {
    used.terminate();
    if (worker === used) worker = undefined;
  };
  return new Promise((resolve, reject) => {
    const cancel = () => {
      end();
      reject(signal.reason);
    };
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const settled = () => signal.removeEventListener('abort', cancel);
    used.onerror = ({ message: text }) => {
      settled();
      end();
      reject(failure(text || 'its program did not load'));
    };
    used.onmessage = ({ data }: MessageEvent<ComputeAnswer>) => {
      if ('share' in data) {
        const isFirst =
          data.share === 0 ? '; the first time it translates its programs, which takes a while' : '';
        onProgress({ text: `Computing on the GPU${isFirst}…`, share: data.share });
        return;
      }
      settled();
      if ('computed' in data) return resolve(data.computed);
      // Ending the worker also discards the failed device.
      end();
      reject(failure(data.error));
    };
    used.postMessage(message, { transfer: message.weather.bytes ? [message.weather.bytes] : [] });
  });
}

function failure(reason: string): Error {
  return new Error(
    `The GPU of this device did not finish (${reason.replace(/[.\s]+$/, '')}); the map shows the layer of the service. Try a smaller region, or try again.`,
  );
}
