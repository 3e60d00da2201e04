/** Follows contrails of grid cells on a GPU, in single precision; `followGridContrails` is the same in double precision. */
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { finite } from '../../vector/wgsl/math.ts';
import {
  type GpuBuffer,
  type GpuDevice,
  type GpuPipeline,
  MAP_READ,
  USAGE,
} from '../../vector/wgsl/web-gpu.ts';
import type { CocipParams } from '../params.ts';
import { setOptions, setRadiationPair, setTime } from '../vector/index.ts';
import { PARAMETER_COUNT, parametersInto } from '../vector/parameters.ts';
import type { RadiationPair } from '../weather.ts';
import {
  ADVANCE_SHADER,
  FIRST_RESULT,
  followShader,
  LAYOUT_FIELDS,
  type LayoutField,
  STATE_NUMBERS,
  STEP_NUMBERS,
} from './shader.ts';
import type { YoungContrails } from './young.ts';

/** An evenly spaced axis, or any axis where `perUnit` is 0. */
interface Axis {
  readonly knots: Float64Array;
  readonly perUnit: number;
}

/** Weather on a regular map, laid out [latitude][longitude][level][variable], an array for each time. */
export interface GpuField {
  readonly longitude: Axis;
  readonly latitude: Axis;
  /** [hPa] */
  readonly level: Axis;
  /** [ms since 1970] */
  readonly time: Axis;
  readonly slabs: readonly (Float32Array | Float64Array)[];
}

export interface GpuRadiation {
  /** Shortwave and longwave. */
  readonly field: GpuField;
  readonly pair: RadiationPair;
  readonly fluxPerUnit: number;
  /** What goes on where the field ends, on the same map. */
  readonly later?: GpuRadiation;
}

/** Where contrails of a time and an aircraft live. */
export interface GpuWeather {
  /** Tells this weather from any other; what has the same name on the device is not uploaded again. */
  readonly name: string;
  readonly levels: GpuField;
  readonly radiation: GpuRadiation | undefined;
  /** Between which the weather is looked at [hPa]. */
  readonly levelRange: readonly [top: number, bottom: number];
}

export interface FollowedContrails {
  /** Energy forcing per metre of flight [J m⁻¹]. */
  readonly efPerM: Float32Array;
  readonly ageS: Float32Array;
  readonly unforcedS: Float32Array;
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
    params.habitDistributions !== null
  );
}

/** Whether the weather lies on evenly spaced meridians and parallels, and all of the radiation on one map in one unit. */
export function isRegular({ levels, radiation }: GpuWeather): boolean {
  const maps = [levels, ...radiationsOf(radiation).map(({ field }) => field)];
  const isOneKind = radiationsOf(radiation?.later).every(
    ({ field, fluxPerUnit }) =>
      radiation !== undefined &&
      fluxPerUnit === radiation.fluxPerUnit &&
      isSameMap(field, radiation.field) &&
      field.longitude.perUnit === radiation.field.longitude.perUnit,
  );
  return isOneKind && maps.every(({ longitude, latitude }) => longitude.perUnit > 0 && latitude.perUnit > 0);
}

/** What contrails are followed from, in which weather and how. */
type Work = readonly [
  young: YoungContrails,
  formationTimeMs: number,
  weather: GpuWeather,
  scaling: LoopBody<HumidityColumn>,
  normalShearShare: number,
  params: CocipParams,
];

/** A device failed: it has too little memory, was lost, or refused a program. The CPU can compute what it could not. */
export class GpuError extends Error {
  override readonly name = 'GpuError';
}

const ERRORS = ['validation', 'out-of-memory', 'internal'] as const;

/** Steps between two neighbouring times of the weather and of the radiation. */
interface StepGroup {
  readonly first: number;
  readonly end: number;
  readonly weather: number;
  readonly radiation: { readonly field: GpuField; readonly cell: number } | undefined;
}

/** A device with the programs and the weather that it has been given. */
export class ContrailGpu {
  private readonly device: GpuDevice;
  private readonly pipelines = new Map<LoopBody<HumidityColumn>, Promise<GpuPipeline>>();
  private readonly advance: Promise<GpuPipeline>;
  /** Slabs on the device by the name of their weather, the least recently used first. */
  private readonly slabs = new Map<string, GpuBuffer>();
  private slabBytes = 0;
  /** What the last steps took on the device, without what was sent to it and read from it. */
  deviceSeconds = 0;
  /** Settled when the computation before is done. */
  private before: Promise<unknown> = Promise.resolve();
  private readonly maxSlabBytes: number;
  /** [ms] */
  private readonly clock: () => number;
  private readonly records = new Map<LoopBody<HumidityColumn>, Float32Array>();

  /** Weather takes at most so many bytes of the device, unless one computation needs more. */
  constructor(device: GpuDevice, maxSlabBytes: number, clock: () => number) {
    this.clock = clock;
    this.device = device;
    this.maxSlabBytes = maxSlabBytes;
    this.advance = this.pipeline(ADVANCE_SHADER, 'advance');
  }

  /** Contrails that formed at one time [ms since 1970]. One computation runs at a time, the others wait. */
  follow(...work: Work): Promise<FollowedContrails> {
    const followed = this.before.then(() => this.checked(() => this.followNow(...work)));
    this.before = followed.catch(() => {});
    return followed;
  }

  /** Devices report what goes wrong beside the results, which are then worthless. */
  private async checked<T>(run: () => Promise<T>): Promise<T> {
    for (const filter of ERRORS) this.device.pushErrorScope(filter);
    const outcome = await run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const reported = await Promise.all(ERRORS.map(() => this.device.popErrorScope()));
    const [first] = reported.filter((error) => error !== null);
    if (first !== undefined) throw new GpuError(first.message.split('\n')[0]);
    if ('error' in outcome)
      throw new GpuError(outcome.error instanceof Error ? outcome.error.message : String(outcome.error));
    return outcome.value;
  }

  private async followNow(
    ...[{ count, state }, formationTimeMs, weather, scaling, normalShearShare, params]: Work
  ): Promise<FollowedContrails> {
    const { device } = this;
    const temporary: GpuBuffer[] = [];
    const make = (bytes: number, usage: number) => {
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
      const follow = await this.follower(scaling);
      const advance = await this.advance;
      const { steps, groups } = stepsOf(formationTimeMs, weather, params);
      await this.upload(weather, groups);
      const layout = filled(layoutOf(weather, normalShearShare, params, count), USAGE.uniform);
      const records = this.records.get(scaling) ?? new Float32Array(0);
      const knots = weather.levels.level.knots;
      const lookedUp = new Float32Array(records.length + knots.length);
      lookedUp.set(records);
      lookedUp.set(knots, records.length);
      const recordBuffer = filled(lookedUp, USAGE.storage);
      const stepBuffer = filled(steps, USAGE.storage);
      const plumes = make(4 * STATE_NUMBERS * count, USAGE.storage | USAGE.copyTarget | USAGE.copySource);
      device.queue.writeBuffer(plumes, 0, state);
      const order = Uint32Array.from({ length: count }, (_, k) => k);
      const lists = [filled(order, USAGE.storage), make(4 * count, USAGE.storage)] as const;
      const counts = filled(Uint32Array.of(0, count), USAGE.storage);
      const dispatch = make(12, USAGE.storage | USAGE.indirect);
      const nothing = make(16, USAGE.storage);
      const advanceGroup = device.createBindGroup({
        layout: advance.getBindGroupLayout(0),
        entries: entriesOf([counts, dispatch]),
      });
      await device.queue.onSubmittedWorkDone();
      const started = this.clock();
      for (const [index, group] of groups.entries()) {
        const [early, late] = this.pairOf(weather, 'levels', weather.levels, group.weather);
        const radiation =
          group.radiation && this.pairOf(weather, 'radiation', group.radiation.field, group.radiation.cell);
        const uniform = filled(
          Uint32Array.of(group.first, group.end, radiation === undefined ? 0 : 1, records.length),
          USAGE.uniform,
        );
        const bind = device.createBindGroup({
          layout: follow.getBindGroupLayout(0),
          entries: entriesOf([
            ...[layout, uniform, stepBuffer, recordBuffer, early, late],
            ...(radiation ?? [nothing, nothing]),
            ...[plumes, lists[index % 2] as GpuBuffer, lists[(index + 1) % 2] as GpuBuffer, counts],
          ]),
        });
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(advance);
        pass.setBindGroup(0, advanceGroup);
        pass.dispatchWorkgroups(1);
        pass.setPipeline(follow);
        pass.setBindGroup(0, bind);
        pass.dispatchWorkgroupsIndirect(dispatch, 0);
        pass.end();
        device.queue.submit([encoder.finish()]);
      }
      await device.queue.onSubmittedWorkDone();
      this.deviceSeconds = (this.clock() - started) / 1000;
      const sums = await this.read(plumes, 4 * FIRST_RESULT * count, 12 * count, make);
      return {
        efPerM: sums.slice(0, count),
        ageS: sums.slice(count, 2 * count),
        unforcedS: sums.slice(2 * count, 3 * count),
      };
    } finally {
      for (const buffer of temporary) buffer.destroy();
    }
  }

  private follower(scaling: LoopBody<HumidityColumn>): Promise<GpuPipeline> {
    const known = this.pipelines.get(scaling);
    if (known !== undefined) return known;
    const { code, records } = followShader(scaling);
    this.records.set(scaling, records);
    const made = this.pipeline(code, 'follow');
    this.pipelines.set(scaling, made);
    return made;
  }

  private pipeline(code: string, entryPoint: string): Promise<GpuPipeline> {
    const module = this.device.createShaderModule({ code });
    return this.device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint } });
  }

  /** Uploads what is not on the device yet, a part at a time, so the thread has time for others. */
  private async upload(weather: GpuWeather, groups: readonly StepGroup[]): Promise<void> {
    const names = new Set<string>();
    const fields = groups.flatMap(({ weather: cell, radiation }) => [
      { field: weather.levels, cell, kind: 'levels' },
      ...(radiation === undefined ? [] : [{ ...radiation, kind: 'radiation' }]),
    ]);
    for (const { field, cell, kind } of fields) {
      for (const index of [cell, Math.min(cell + 1, field.slabs.length - 1)]) {
        const name = slabName(weather, kind, field, index);
        names.add(name);
        const known = this.slabs.get(name);
        if (known !== undefined) {
          this.slabs.delete(name);
          this.slabs.set(name, known);
          continue;
        }
        this.slabs.set(name, await this.uploaded(field.slabs[index] as Float32Array));
      }
    }
    for (const [name, buffer] of this.slabs) {
      if (this.slabBytes <= this.maxSlabBytes) break;
      if (names.has(name)) continue;
      this.slabs.delete(name);
      this.slabBytes -= buffer.size;
      buffer.destroy();
    }
  }

  private async uploaded(slab: Float32Array | Float64Array): Promise<GpuBuffer> {
    const buffer = this.device.createBuffer({
      size: 4 * slab.length,
      usage: USAGE.storage | USAGE.copyTarget,
    });
    this.slabBytes += buffer.size;
    for (let start = 0; start < slab.length; start += UPLOADED_AT_ONCE) {
      this.device.queue.writeBuffer(
        buffer,
        4 * start,
        Float32Array.from(slab.subarray(start, start + UPLOADED_AT_ONCE)),
      );
      await this.device.queue.onSubmittedWorkDone();
    }
    return buffer;
  }

  /** The slabs before and after a time. */
  private pairOf(weather: GpuWeather, kind: string, field: GpuField, cell: number): [GpuBuffer, GpuBuffer] {
    const buffer = (index: number) =>
      this.slabs.get(slabName(weather, kind, field, Math.min(index, field.slabs.length - 1))) as GpuBuffer;
    return [buffer(cell), buffer(cell + 1)];
  }

  private async read(
    from: GpuBuffer,
    offset: number,
    bytes: number,
    make: (bytes: number, usage: number) => GpuBuffer,
  ): Promise<Float32Array> {
    const target = make(bytes, USAGE.mapRead | USAGE.copyTarget);
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, offset, target, 0, bytes);
    this.device.queue.submit([encoder.finish()]);
    await target.mapAsync(MAP_READ);
    const values = new Float32Array(target.getMappedRange().slice(0, bytes));
    target.unmap();
    return values;
  }
}

/** Numbers that are handed to the device in one turn of the thread. */
const UPLOADED_AT_ONCE = 2 ** 22;

/** Fields of radiation that follow each other may share a time, so their order is part of the name. */
function slabName({ name, radiation }: GpuWeather, kind: string, field: GpuField, index: number): string {
  const order = radiationsOf(radiation).findIndex((one) => one.field === field);
  const { longitude, latitude, level, time } = field;
  const map = [longitude, latitude, level].map(
    ({ knots }) => `${knots[0]} to ${knots.at(-1)} in ${knots.length}`,
  );
  return [name, kind, order, ...map, time.knots[index]].join(', ');
}

function entriesOf(buffers: readonly GpuBuffer[]) {
  return buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
}

function radiationsOf(radiation: GpuRadiation | undefined): GpuRadiation[] {
  return radiation === undefined ? [] : [radiation, ...radiationsOf(radiation.later)];
}

/** Numbers of all steps that the weather reaches, and which of them share their times of weather. */
function stepsOf(
  formationTimeMs: number,
  { levels, radiation }: GpuWeather,
  params: CocipParams,
): { steps: Float32Array; groups: readonly StepGroup[] } {
  const dtMs = params.dtIntegrationS * 1000;
  const lastMs = Math.floor(formationTimeMs / dtMs) * dtMs + params.maxAgeS * 1000;
  setOptions(params);
  setRadiationPair(radiation?.pair ?? 'net');
  const numbers: number[] = [];
  const groups: StepGroup[] = [];
  const row = new Float32Array(PARAMETER_COUNT);
  let fromMs = formationTimeMs;
  let step = 0;
  for (let toMs = (Math.floor(formationTimeMs / dtMs) + 1) * dtMs; toMs <= lastMs; toMs += dtMs) {
    const weather = cellOf(levels.time.knots, toMs);
    if (weather < 0) break;
    const shining = radiationsOf(radiation)
      .map(({ field }) => ({ field, cell: cellOf(field.time.knots, toMs) }))
      .find(
        ({ field, cell }, k, all) =>
          cell >= 0 || k === all.length - 1 || toMs <= (field.time.knots.at(-1) as number),
      );
    const found = shining !== undefined && shining.cell >= 0 ? shining : undefined;
    setTime(toMs);
    parametersInto(row, 0, formationTimeMs);
    numbers.push(
      ...row,
      fromMs - formationTimeMs,
      weightOf(levels.time.knots, weather, toMs),
      found === undefined ? 0 : weightOf(found.field.time.knots, found.cell, toMs),
    );
    const last = groups.at(-1);
    const continues =
      last !== undefined &&
      last.weather === weather &&
      last.radiation?.field === found?.field &&
      last.radiation?.cell === found?.cell;
    if (continues) groups[groups.length - 1] = { ...last, end: step + 1 };
    else groups.push({ first: step, end: step + 1, weather, radiation: found });
    fromMs = toMs;
    step++;
  }
  if (numbers.length !== step * STEP_NUMBERS) throw new RangeError('the numbers of a step are incomplete');
  return { steps: Float32Array.from(numbers), groups };
}

/** The largest i ≤ n − 2 with knots[i] ≤ x; −1 outside. */
function cellOf(knots: Float64Array, x: number): number {
  const last = knots.length - 1;
  if (!(x >= (knots[0] as number) && x <= (knots[last] as number))) return -1;
  let cell = 0;
  while (cell < last - 1 && (knots[cell + 1] as number) <= x) cell++;
  return cell;
}

function weightOf(knots: Float64Array, cell: number, x: number): number {
  if (knots.length === 1) return 0;
  const low = knots[cell] as number;
  return (x - low) / ((knots[cell + 1] as number) - low);
}

function isSameMap(a: GpuField, b: GpuField): boolean {
  return (['longitude', 'latitude'] as const).every(
    (axis) => a[axis].knots.length === b[axis].knots.length && a[axis].knots[0] === b[axis].knots[0],
  );
}

function layoutOf(
  { levels, radiation, levelRange }: GpuWeather,
  normalShearShare: number,
  params: CocipParams,
  count: number,
): Float32Array {
  const ends = ({ knots }: Axis) => [knots[0] as number, knots.at(-1) as number] as const;
  const map = radiation?.field ?? levels;
  const values: Record<LayoutField, number> = {
    west: ends(levels.longitude)[0],
    east: ends(levels.longitude)[1],
    per_longitude: levels.longitude.perUnit,
    longitudes: levels.longitude.knots.length,
    south: ends(levels.latitude)[0],
    north: ends(levels.latitude)[1],
    per_latitude: levels.latitude.perUnit,
    latitudes: levels.latitude.knots.length,
    levels: levels.level.knots.length,
    top: levelRange[0],
    bottom: levelRange[1],
    radiation_west: ends(map.longitude)[0],
    radiation_east: ends(map.longitude)[1],
    radiation_per_longitude: map.longitude.perUnit,
    radiation_longitudes: map.longitude.knots.length,
    radiation_south: ends(map.latitude)[0],
    radiation_north: ends(map.latitude)[1],
    radiation_per_latitude: map.latitude.perUnit,
    radiation_latitudes: map.latitude.knots.length,
    flux_per_unit: radiation?.fluxPerUnit ?? 1,
    shares_map: isSameMap(levels, map) ? 1 : 0,
    shear_share: normalShearShare,
    step_s: params.dtIntegrationS,
    // Quotients of times are off by some units of the last digit.
    max_age: params.maxAgeS + params.dtIntegrationS / 1000,
    min_tau: params.minTau,
    max_tau: params.maxTau,
    min_particles: params.minNIcePerM3,
    max_particles: params.maxNIcePerM3,
    min_altitude: params.minAltitudeM ?? Number.NEGATIVE_INFINITY,
    max_altitude: params.maxAltitudeM ?? Number.POSITIVE_INFINITY,
    capacity: count,
  };
  const layout = new Float32Array(4 * Math.ceil(LAYOUT_FIELDS.length / 4));
  const integers = new Uint32Array(layout.buffer);
  LAYOUT_FIELDS.forEach(([name, type], k) => {
    if (type === 'u32') integers[k] = values[name];
    else layout[k] = finite(values[name]);
  });
  return layout;
}
