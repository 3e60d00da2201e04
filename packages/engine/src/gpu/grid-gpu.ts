/** The GPUs of a machine for contrail grids: found when they are first needed, each given up where it fails. */
import { ContrailGpu, GpuError } from '@contrails/physics/gpu';
import { type FoundGpus, findGpus } from './adapters.ts';
import type { DeviceChoice } from './device.ts';

export interface GpuSettings {
  /** `auto`: GPUs where there are any, but no program that imitates one. */
  readonly device: DeviceChoice;
  /** Parts of the names of the adapters that are used; all unless given. */
  readonly adapters?: readonly string[] | undefined;
  /** Weather that is kept on each device. */
  readonly memoryMib: number;
  /** A device that has not answered for so long has failed. */
  readonly maxSilenceMs?: number | undefined;
  /** Receives what is used, at first and on changes. */
  readonly onNotice: (text: string) => void;
}

/** A device that can be used. */
export interface OpenGpu {
  readonly contrails: ContrailGpu;
  /** As its driver names it. */
  readonly name: string;
  /** Has the device fail, as a driver does that is reset. */
  lose(): void;
  close(): void;
}

const MEBIBYTE = 2 ** 20;
/** After a failure a device is not asked for again for so long. */
const RETRY_MS = 60_000;
/** Drivers that have a watchdog reset a device that hangs after seconds; a program that imitates one compiles shaders for minutes. */
const MAX_SILENCE_MS = 600_000;

/** Gives devices to computations, one at a time. */
export class GridGpu {
  readonly #settings: GpuSettings;
  readonly #find: typeof findGpus;
  #opening: Promise<void> | undefined;
  #open: OpenGpu[] = [];
  readonly #busy = new Set<OpenGpu>();
  /** Computations that wait for a device. */
  readonly #waiting: (() => void)[] = [];
  /** Those that no longer answer. They stay open, because closing one waits for its work, which never ends. */
  readonly #silent: OpenGpu[] = [];
  #failedMs = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(settings: GpuSettings, find = findGpus) {
    this.#settings = settings;
    this.#find = find;
  }

  /** The devices; none where the CPU has to do. */
  async devices(): Promise<readonly OpenGpu[]> {
    if (this.#settings.device === 'cpu' || this.#isClosed) return [];
    if (performance.now() - this.#failedMs > RETRY_MS) {
      this.#failedMs = Number.POSITIVE_INFINITY;
      this.#opening = undefined;
    }
    this.#opening ??= this.#openAll();
    await this.#opening;
    return [...this.#open];
  }

  /**
   * Runs work on the first device that has time for it, and on another one where that device fails. Undefined where none is left
   * that suits.
   */
  async run<T>(
    work: (gpu: OpenGpu) => Promise<T>,
    suits: (gpu: OpenGpu) => boolean = () => true,
  ): Promise<T | undefined> {
    for (;;) {
      const gpu = await this.#take(suits);
      if (gpu === undefined) return undefined;
      try {
        return await answered(work(gpu), this.#settings.maxSilenceMs ?? MAX_SILENCE_MS);
      } catch (error) {
        if (!(error instanceof GpuError)) throw error;
        this.#giveUp(gpu, error);
      } finally {
        this.#busy.delete(gpu);
        for (const wake of this.#waiting.splice(0)) wake();
      }
    }
  }

  /** Work that is left goes to the CPU. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    for (const gpu of this.#open.splice(0)) gpu.close();
  }

  async #take(suits: (gpu: OpenGpu) => boolean): Promise<OpenGpu | undefined> {
    for (;;) {
      const suitable = (await this.devices()).filter((gpu) => this.#open.includes(gpu) && suits(gpu));
      if (suitable.length === 0) return undefined;
      const free = suitable.find((gpu) => !this.#busy.has(gpu));
      if (free !== undefined) {
        this.#busy.add(free);
        return free;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Computations go on with the other devices or the CPU for a while. */
  #giveUp(gpu: OpenGpu, error: Error): void {
    const index = this.#open.indexOf(gpu);
    if (index < 0) return;
    this.#open.splice(index, 1);
    const isSilent = error instanceof SilenceError;
    if (isSilent) {
      // The driver waits for that work at the end of the process, too.
      if (this.#silent.length === 0) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
      this.#silent.push(gpu);
    } else {
      this.#failedMs = performance.now();
      gpu.close();
    }
    const period = isSilent ? 'until this process ends' : `for ${RETRY_MS / 1000} s`;
    const others = this.#open.map(({ name }) => `the GPU ${name}`).join(' and ') || 'the CPU';
    this.#settings.onNotice(
      `the GPU ${gpu.name} failed (${error.message}); ${others} computes grids ${period}`,
    );
  }

  /** Opens the devices that are not open. */
  async #openAll(): Promise<void> {
    const { device: wanted, adapters, memoryMib, onNotice } = this.#settings;
    const { gpus, reasons } = await this.#find(wanted, adapters).catch(
      (error: unknown): FoundGpus => ({
        gpus: [],
        reasons: [error instanceof Error ? error.message : String(error)],
      }),
    );
    const open = [...this.#open, ...this.#silent].map(({ name }) => name);
    for (const { device, name } of gpus) {
      if (open.includes(name)) {
        open.splice(open.indexOf(name), 1);
        device.destroy();
        continue;
      }
      onNotice(`the GPU ${name} computes contrail grids`);
      let isClosed = false;
      const gpu: OpenGpu = {
        contrails: new ContrailGpu(device, memoryMib * MEBIBYTE, () => performance.now()),
        name,
        lose: () => device.destroy(),
        close: () => {
          isClosed = true;
          device.destroy();
        },
      };
      this.#open.push(gpu);
      void device.lost.then(({ message }) => {
        if (!isClosed) this.#giveUp(gpu, new Error(`the device was lost: ${message}`));
      });
    }
    if (this.#open.length > 0) for (const reason of reasons) onNotice(reason);
    else if (wanted === 'gpu' || adapters !== undefined)
      onNotice(`compute.device is ${wanted}, but ${reasons.join('; ')}; the CPU computes grids`);
  }
}

class SilenceError extends GpuError {}

function answered<T>(work: Promise<T>, maxSilenceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new SilenceError(`it has not answered for ${maxSilenceMs / 1000} s`)),
      maxSilenceMs,
    );
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}
