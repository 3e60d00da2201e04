/** Computes contrail grids on the GPU of this device, off the main thread, so the page keeps moving. */
import { adapterName, ContrailGpu, openDevice } from '@contrails/physics/gpu';
import { type Grid, texelsOf, type UnitScale } from '../grid/grid.ts';
import { release } from '../grid/read-netcdf.ts';
import { requestAdapter } from './adapter.ts';
import { type ContrailGrid, computeContrailGrid, type GridRequest } from './contrail-grid.ts';
import { type ContrailWeather, readContrailWeather } from './contrail-weather.ts';
import { onGlobe } from './region.ts';

export interface ComputeMessage {
  readonly request: GridRequest;
  /** The weather of the request under its name; without bytes that of the message before. */
  readonly weather: { readonly name: string; readonly bytes?: ArrayBuffer };
  /** How the grid is drawn. */
  readonly scale: UnitScale;
}

export interface ComputedGrid extends ContrailGrid {
  /** Energy forcing on the globe, for drawing. */
  readonly grid: Grid;
  /** The GPU, as its driver names it. */
  readonly device: string;
  /** What the computation took. */
  readonly seconds: number;
}

export type ComputeAnswer =
  | { readonly share: number }
  | { readonly computed: ComputedGrid }
  | { readonly error: string };

/** Weather that stays on the device. */
const SLAB_BYTES = 128 * 2 ** 20;

interface Opened {
  readonly gpu: ContrailGpu;
  readonly name: string;
  /** Rejects when the device is lost. */
  readonly lost: Promise<never>;
}

let opened: Promise<Opened> | undefined;
let held: (ContrailWeather & { readonly name: string }) | undefined;

self.onmessage = async ({ data }: MessageEvent<ComputeMessage>) => {
  const post = (answer: ComputeAnswer, transfer: Transferable[] = []) =>
    self.postMessage(answer, { transfer });
  try {
    const computed = await compute(data, (share) => post({ share }));
    const { efPerM, ageHours, grid } = computed;
    const texels = grid.texels === undefined ? [] : [grid.texels.buffer];
    post({ computed }, [efPerM.buffer, ageHours.buffer, grid.values.buffer, ...texels]);
  } catch (error) {
    // The next computation asks for another device.
    opened = undefined;
    post({ error: error instanceof Error ? error.message : String(error) });
  }
};

async function compute(
  { request, weather: { name, bytes }, scale }: ComputeMessage,
  onShare: (share: number) => void,
): Promise<ComputedGrid> {
  if (bytes !== undefined) {
    held = { ...readContrailWeather(bytes, name), name };
    release(bytes);
  }
  if (held?.name !== name) throw new Error(`The weather ${name} is not in memory any more; compute again.`);
  opened ??= open();
  const { gpu, name: device, lost } = await opened;
  onShare(0);
  const started = performance.now();
  const found = await Promise.race([computeContrailGrid(gpu, held, request, onShare), lost]);
  const grid = onGlobe(found.efPerM, request.region);
  return {
    ...found,
    grid: { ...grid, texels: texelsOf(grid.values, scale) },
    device,
    seconds: (performance.now() - started) / 1000,
  };
}

async function open(): Promise<Opened> {
  const adapter = await requestAdapter();
  if (adapter === null) throw new Error('the browser has no GPU for this page');
  const device = await openDevice(adapter);
  const lost = device.lost.then(({ message }) => {
    throw new Error(message || 'the device was lost');
  });
  // Without a pending computation the loss is not reported.
  lost.catch(() => {
    opened = undefined;
  });
  const gpu = new ContrailGpu(device, SLAB_BYTES, () => performance.now());
  return { gpu, name: adapterName(adapter), lost };
}
