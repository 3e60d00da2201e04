/** Forms and follows contrails of grid cells on a GPU, in single precision; `followGridContrails` is the same in double precision. */
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import {
  type GpuBuffer,
  type GpuDevice,
  type GpuPipeline,
  MAP_READ,
  USAGE,
} from '../../vector/wgsl/web-gpu.ts';
import type { CellSegment } from '../grid.ts';
import type { CocipParams } from '../params.ts';
import { arrangedBytes } from './arrangement.ts';
import type { CruiseTable } from './cruise-table.ts';
import { formationShader, invocations } from './formation-shader.ts';
import { endsOf, layoutOf, type StepGroup, stepsOf } from './numbers.ts';
import {
  ADVANCE_SHADER,
  BEGIN_SHADER,
  FIRST_RESULT,
  followShader,
  GATHER_DISPATCH,
  GATHER_SHADER,
  stateNumbers,
} from './shader.ts';
import { Slabs } from './slabs.ts';
import { StageWriter } from './stages.ts';
import type { GpuWeather } from './weather.ts';
import { FIRST_COUNT, MAX_GROUPS, WORKGROUP } from './weather-text.ts';

/** Cells of a grid that one aircraft crosses, the weather, and the model. */
export interface GridWork {
  /** [°] of all columns and rows. */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** [ms since 1970] */
  readonly timeMs: number;
  /** Has the levels of the grid. */
  readonly aircraft: CruiseTable;
  readonly weather: GpuWeather;
  readonly scaling: LoopBody<HumidityColumn>;
  readonly segment: CellSegment;
  readonly params: CocipParams;
}

/** Contrails of some rows of the grid, in no order. */
export interface FoundContrails {
  /** Where each formed: (column · rows + row) · levels + level. */
  readonly cell: Uint32Array;
  /** Energy forcing per metre of flight [J m⁻¹]. */
  readonly efPerM: Float32Array;
  readonly ageS: Float32Array;
  readonly unforcedS: Float32Array;
  /** For each level the cells without weather. */
  readonly outside: Uint32Array;
}

/** What a computation took [s]. */
export interface GpuSeconds {
  upload: number;
  form: number;
  follow: number;
  download: number;
}

/** Whether these options of the model run on a GPU. */
export function runsOnGpu(params: CocipParams): boolean {
  return !(
    params.revisedContrailIceBudget ||
    params.radiativeHeatingEffects ||
    params.persistentBufferS !== null ||
    params.parametricRfModelS2025 ||
    params.singlePrecisionForcing ||
    params.radiusThresholdUm !== null ||
    params.habitDistributions !== null ||
    params.unterstrasserIceSurvivalFraction ||
    params.vpmActivation ||
    !params.filterSac ||
    !params.filterInitiallyPersistent
  );
}

/** A device failed: it has too little memory, was lost, or refused a program. The CPU can compute what it could not. */
export class GpuError extends Error {
  override readonly name = 'GpuError';
}

const ERRORS = ['validation', 'out-of-memory', 'internal'] as const;

/** One cell in so many has a contrail, more or less; where more have, rows are computed in parts. */
const CELLS_PER_CONTRAIL = 8;
const MIN_CAPACITY = 2 ** 18;
/** Cells of one dispatch: a slow device takes a moment for them, not the seconds after which a driver is reset. */
const CELLS_AT_ONCE = 2 ** 22;

/** Programs that pass contrails on from dispatch to dispatch. */
interface Relay {
  readonly begin: GpuPipeline;
  readonly advance: GpuPipeline;
  readonly gather: GpuPipeline;
}

/** Programs for a correction of humidity, and what they look up. */
interface Programs {
  readonly form: GpuPipeline;
  readonly follow: GpuPipeline;
  readonly records: Float32Array;
}

/** Buffers for so many contrails. */
interface Room {
  readonly capacity: number;
  /** Of each contrail. */
  readonly numbers: number;
  readonly state: GpuBuffer;
  readonly cells: GpuBuffer;
  /** Those that live, and the survivors of a dispatch, group by group. */
  readonly alive: GpuBuffer;
  readonly survivors: GpuBuffer;
}

type Make = (bytes: number, usage: number) => GpuBuffer;

/** What all dispatches of a computation have in common. */
interface Bound {
  readonly work: GridWork;
  readonly programs: Programs;
  readonly room: Room;
  readonly groups: readonly StepGroup[];
  readonly layout: GpuBuffer;
  readonly steps: GpuBuffer;
  readonly records: GpuBuffer;
  readonly nothing: GpuBuffer;
}

/** The part of an `AbortSignal` that is needed; physics runs where there are none. */
interface Cancellation {
  throwIfAborted(): void;
}

/** A device with the programs and the weather that it has been given. */
export class ContrailGpu {
  /** Of the computation last finished. */
  lastSeconds: GpuSeconds = { upload: 0, form: 0, follow: 0, download: 0 };
  private readonly device: GpuDevice;
  private readonly programs = {
    free: new Map<LoopBody<HumidityColumn>, Promise<Programs>>(),
    directed: new Map<LoopBody<HumidityColumn>, Promise<Programs>>(),
  };
  private relay: Promise<Relay> | undefined;
  private readonly slabs: Slabs;
  private room: Room | undefined;
  /** Settled when the computation before is done. */
  private before: Promise<unknown> = Promise.resolve();
  /** [ms] */
  private readonly clock: () => number;

  private readonly maxContrails: number;

  /**
   * Weather takes at most so many bytes of the device, unless one computation needs more; contrails beyond so many are computed in
   * parts, of a row at least.
   */
  constructor(device: GpuDevice, maxSlabBytes: number, clock: () => number, maxContrails = 2 ** 22) {
    this.maxContrails = maxContrails;
    this.clock = clock;
    this.device = device;
    this.slabs = new Slabs(device, maxSlabBytes);
  }

  /** Whether the device can bind an hour of this weather. */
  fits({ levels }: Pick<GpuWeather, 'levels'>): boolean {
    const { maxStorageBufferBindingSize = 2 ** 27, maxBufferSize = 2 ** 28 } = this.device.limits;
    return arrangedBytes(levels) <= Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  /** What is found in some rows after the others. One computation runs at a time, the others wait. */
  compute(
    work: GridWork,
    signal?: Cancellation,
    onProgress?: (share: number) => void,
  ): Promise<FoundContrails[]> {
    const done = this.before.then(() => {
      signal?.throwIfAborted();
      return this.checked(() => this.computeNow(work, signal, onProgress));
    });
    this.before = done.catch(() => {});
    return done.catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }

  /** Devices report errors separately from the results, which are then worthless. */
  private async checked<T>(run: () => Promise<T>): Promise<T> {
    for (const filter of ERRORS) this.device.pushErrorScope(filter);
    const outcome = await run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const reported = await Promise.all(ERRORS.map(() => this.device.popErrorScope()));
    const [first] = reported.filter((error) => error !== null);
    const failed = first ?? ('error' in outcome ? outcome.error : undefined);
    if (failed !== undefined) throw new GpuError(firstLine(failed));
    return (outcome as { readonly value: T }).value;
  }

  private async computeNow(
    work: GridWork,
    signal: Cancellation | undefined,
    onProgress: ((share: number) => void) | undefined,
  ): Promise<FoundContrails[]> {
    const { device, clock } = this;
    const { longitude, latitude, timeMs, aircraft, weather, segment, params } = work;
    const levels = aircraft.levels.length;
    const rows = latitude.length;
    const { numbers, groups } = stepsOf(timeMs, weather, aircraft, params);
    const seconds: GpuSeconds = { upload: 0, form: 0, follow: 0, download: 0 };
    this.lastSeconds = seconds;
    if (groups.length === 0) return [nothingFound(levels, longitude.length * rows)];
    const temporary: GpuBuffer[] = [];
    const make: Make = (bytes, usage) => {
      const buffer = device.createBuffer({ size: Math.max(16, 4 * Math.ceil(bytes / 4)), usage });
      temporary.push(buffer);
      return buffer;
    };
    const filled = (data: Float32Array | Uint32Array, usage: number) => {
      const buffer = make(data.byteLength, usage | USAGE.copyTarget);
      device.queue.writeBuffer(buffer, 0, data);
      return buffer;
    };
    try {
      const programs = await this.programsOf(work);
      const started = clock();
      await this.slabs.upload(weather, groups);
      seconds.upload = (clock() - started) / 1000;
      const room = this.roomFor(longitude.length * levels, rows, stateNumbers(segment.kind === 'directed'));
      const knots = weather.levels.level.knots;
      const cells = [aircraft.levels, longitude, latitude, aircraft.numbers, endsOf(segment, latitude)];
      const levelsAt = programs.records.length;
      const layout = layoutOf(weather, segment, params, {
        capacity: room.capacity,
        levels_at: levelsAt,
        cells_at: levelsAt + knots.length,
        cell_columns: longitude.length,
        cell_rows: rows,
        cell_levels: levels,
      });
      const bound: Bound = {
        work,
        programs,
        room,
        groups,
        layout: filled(layout, USAGE.uniform),
        steps: filled(numbers, USAGE.storage),
        records: filled(joined([programs.records, knots, ...cells]), USAGE.storage),
        nothing: make(16, USAGE.storage),
      };
      const parts: FoundContrails[] = [];
      // Rows that are left, the next ones last.
      const left: (readonly [first: number, end: number])[] = [[0, rows]];
      for (let range = left.pop(); range !== undefined; range = left.pop()) {
        signal?.throwIfAborted();
        const [first, end] = range;
        const found = await this.rowsOf(bound, first, end, filled, make, seconds);
        if (found !== undefined) {
          parts.push(found);
          onProgress?.(end / rows);
          continue;
        }
        const middle = Math.ceil((first + end) / 2);
        left.push([middle, end], [first, middle]);
      }
      return parts;
    } finally {
      for (const buffer of temporary) buffer.destroy();
    }
  }

  /** Contrails of some rows; undefined where there are more than there is room for. */
  private async rowsOf(
    bound: Bound,
    first: number,
    end: number,
    filled: (data: Uint32Array, usage: number) => GpuBuffer,
    make: Make,
    seconds: GpuSeconds,
  ): Promise<FoundContrails | undefined> {
    const { device, clock } = this;
    const { work, room, programs, groups } = bound;
    const levels = work.aircraft.levels.length;
    const started = clock();
    const counted = FIRST_COUNT + Math.max(levels, Math.ceil(room.capacity / WORKGROUP) + 1);
    const counts = filled(new Uint32Array(counted), USAGE.storage | USAGE.copySource);
    const [formation, ...following] = groups as [StepGroup, ...StepGroup[]];
    const steps = work.segment.kind === 'free' ? following : following.flatMap(singleSteps);
    const columns = work.longitude.length;
    const rowsAtOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / (columns * levels)));
    for (let row = first; row < end; row += rowsAtOnce) {
      const last = Math.min(end, row + rowsAtOnce);
      const lists = [room.cells, room.alive, counts] as const;
      const bind = this.bind(bound, formation, programs.form, lists, filled, [row, last]);
      const dispatched = Math.ceil(invocations(columns, last - row, levels) / WORKGROUP);
      this.submit((pass) => {
        pass.setPipeline(programs.form);
        pass.setBindGroup(0, bind);
        pass.dispatchWorkgroups(Math.min(dispatched, MAX_GROUPS), Math.ceil(dispatched / MAX_GROUPS));
      });
    }
    const found = new Uint32Array(await this.read([[counts, 0, 4 * (FIRST_COUNT + levels)]], make));
    seconds.form += (clock() - started) / 1000;
    const count = found[1] as number;
    const outside = found.slice(FIRST_COUNT);
    if (count > room.capacity) return undefined;
    if (count === 0) return { ...nothingFound(levels, 0), outside };

    const followed = clock();
    this.relay ??= this.makeRelay();
    const { begin, advance, gather } = await this.relay;
    const dispatch = make(24, USAGE.storage | USAGE.indirect);
    const group = (pipeline: GpuPipeline, buffers: readonly GpuBuffer[]) =>
      device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: entriesOf(buffers) });
    const beginGroup = group(begin, [counts, dispatch]);
    const advanceGroup = group(advance, [counts, dispatch]);
    const gatherGroup = group(gather, [counts, room.survivors, room.alive]);
    for (const [index, step] of steps.entries()) {
      const lists = [room.alive, room.survivors, counts] as const;
      const bind = this.bind(bound, step, programs.follow, lists, filled, [0, 0]);
      this.submit((pass) => {
        pass.setPipeline(index === 0 ? begin : advance);
        pass.setBindGroup(0, index === 0 ? beginGroup : advanceGroup);
        pass.dispatchWorkgroups(1);
        if (index > 0) {
          pass.setPipeline(gather);
          pass.setBindGroup(0, gatherGroup);
          pass.dispatchWorkgroupsIndirect(dispatch, GATHER_DISPATCH);
        }
        pass.setPipeline(programs.follow);
        pass.setBindGroup(0, bind);
        pass.dispatchWorkgroupsIndirect(dispatch, 0);
      });
    }
    await device.queue.onSubmittedWorkDone();
    seconds.follow += (clock() - followed) / 1000;

    const downloaded = clock();
    const bytes = 4 * count;
    const column = (k: number) => [room.state, 4 * (FIRST_RESULT + k) * room.capacity, bytes] as const;
    const results = await this.read([[room.cells, 0, bytes], column(0), column(1), column(2)], make);
    seconds.download += (clock() - downloaded) / 1000;
    return {
      cell: new Uint32Array(results, 0, count),
      efPerM: new Float32Array(results, bytes, count),
      ageS: new Float32Array(results, 2 * bytes, count),
      unforcedS: new Float32Array(results, 3 * bytes, count),
      outside,
    };
  }

  private bind(
    { work: { weather }, layout, steps, records, nothing, room }: Bound,
    { first, end, weather: cell, radiation }: StepGroup,
    pipeline: GpuPipeline,
    lists: readonly [contrails: GpuBuffer, survivors: GpuBuffer, counts: GpuBuffer],
    filled: (data: Uint32Array, usage: number) => GpuBuffer,
    rows: readonly [first: number, end: number],
  ): object {
    const shining = radiation && this.slabs.pairOf(weather, radiation.field, radiation.cell);
    const uniform = filled(Uint32Array.of(first, end, shining === undefined ? 0 : 1, ...rows), USAGE.uniform);
    return this.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: entriesOf([
        ...[layout, uniform, steps, records],
        ...this.slabs.pairOf(weather, weather.levels, cell),
        ...(shining ?? [nothing, nothing]),
        ...[room.state, ...lists],
      ]),
    });
  }

  private submit(
    fill: (pass: ReturnType<ReturnType<GpuDevice['createCommandEncoder']>['beginComputePass']>) => void,
  ) {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    fill(pass);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }

  /** Buffers of the computation before, where they are large enough. */
  private roomFor(cellsOfRow: number, rows: number, numbers: number): Room {
    const { maxStorageBufferBindingSize = 2 ** 27 } = this.device.limits;
    const cells = cellsOfRow * rows;
    const usual = Math.max(Math.ceil(cells / CELLS_PER_CONTRAIL), MIN_CAPACITY);
    const largest = Math.min(this.maxContrails, Math.floor(maxStorageBufferBindingSize / (4 * numbers)));
    const capacity = Math.max(Math.min(usual, cells, largest), cellsOfRow);
    const { room } = this;
    if (room !== undefined && room.capacity >= capacity && room.numbers >= numbers) return room;
    if (room !== undefined)
      for (const one of [room.state, room.cells, room.alive, room.survivors]) one.destroy();
    const make = (length: number) =>
      this.device.createBuffer({
        size: Math.max(16, 4 * length),
        usage: USAGE.storage | USAGE.copySource,
      });
    this.room = {
      capacity,
      numbers,
      state: make(numbers * capacity),
      cells: make(capacity),
      alive: make(capacity),
      // Whole groups.
      survivors: make(WORKGROUP * Math.ceil(capacity / WORKGROUP)),
    };
    return this.room;
  }

  private programsOf({ scaling, segment }: GridWork): Promise<Programs> {
    const programs = this.programs[segment.kind];
    const known = programs.get(scaling);
    if (known !== undefined) return known;
    const writer = new StageWriter();
    const isDirected = segment.kind === 'directed';
    const form = this.pipeline(formationShader(scaling, writer, isDirected), 'form');
    const follow = this.pipeline(followShader(scaling, writer, isDirected), 'follow');
    const made = Promise.all([form, follow]).then(([one, other]) => ({
      form: one,
      follow: other,
      records: writer.recordNumbers(),
    }));
    programs.set(scaling, made);
    return made;
  }

  private async makeRelay(): Promise<Relay> {
    const [begin, advance, gather] = await Promise.all([
      this.pipeline(BEGIN_SHADER, 'begin'),
      this.pipeline(ADVANCE_SHADER, 'advance'),
      this.pipeline(GATHER_SHADER, 'gather'),
    ]);
    return { begin, advance, gather };
  }

  private pipeline(code: string, entryPoint: string): Promise<GpuPipeline> {
    const module = this.device.createShaderModule({ code });
    return this.device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint } });
  }

  /** Bytes of buffers, one behind the other. */
  private async read(
    ranges: readonly (readonly [from: GpuBuffer, offset: number, bytes: number])[],
    make: Make,
  ): Promise<ArrayBuffer> {
    const all = ranges.reduce((sum, [, , bytes]) => sum + bytes, 0);
    const target = make(all, USAGE.mapRead | USAGE.copyTarget);
    const encoder = this.device.createCommandEncoder();
    let at = 0;
    for (const [from, offset, bytes] of ranges) {
      encoder.copyBufferToBuffer(from, offset, target, at, bytes);
      at += bytes;
    }
    this.device.queue.submit([encoder.finish()]);
    await target.mapAsync(MAP_READ);
    const values = target.getMappedRange().slice(0, all);
    target.unmap();
    return values;
  }
}

/** Devices explain at length; a line of a log has the first sentence. */
function firstLine(error: unknown): string {
  const text = (error as { readonly message?: string }).message ?? String(error);
  return text.slice(0, text.indexOf('\n') >>> 0);
}

function singleSteps(group: StepGroup): StepGroup[] {
  return Array.from({ length: group.end - group.first }, (_, k) => ({
    ...group,
    first: group.first + k,
    end: group.first + k + 1,
  }));
}

function nothingFound(levels: number, outside: number): FoundContrails {
  const none = new Float32Array(0);
  return {
    cell: new Uint32Array(0),
    efPerM: none,
    ageS: none,
    unforcedS: none,
    outside: new Uint32Array(levels).fill(outside),
  };
}

function joined(parts: readonly ArrayLike<number>[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function entriesOf(buffers: readonly GpuBuffer[]) {
  return buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
}
