/**
 * Engines of the ICAO Aircraft Engine Emissions Databank (hosted by EASA, version 32) and which of them a flight
 * is taken to have. Four-element columns run over idle, approach, climb-out and take-off (7, 30, 85, 100 % thrust).
 */
import { designator } from '../aircraft/designator.ts';
import { SEA_LEVEL_TEMPERATURE_K } from '../constants.ts';
import { defaultEngines } from '../data/default-engines.ts';
import { enginesGaseous as gaseous } from '../data/engines-gaseous.ts';
import { enginesNvpm as nvpm } from '../data/engines-nvpm.ts';
import { InputError } from '../errors.ts';
import { didYouMean, nearMatches } from '../near-matches.ts';

/** Gaseous emissions and smoke of one engine. Indices in kg per kg of fuel. */
export interface GaseousEngine {
  readonly uid: string;
  readonly isStaged: boolean;
  readonly bypassRatio: number;
  readonly pressureRatio: number;
  /** Mean ambient temperature [K] and pressure [Pa] of the test. */
  readonly ambientTemperatureK: number;
  readonly ambientPressurePa: number;
  readonly fuelFlowKgS: Float64Array;
  readonly noxEi: Float64Array;
  readonly coEi: Float64Array;
  readonly hcEi: Float64Array;
  readonly smokeNumber: Float64Array;
}

/** A peak of nvPM between the measured points: index at approach and climb-out as measured, and the largest. */
export interface MeasuredPeak {
  readonly isMidPower: boolean;
  readonly approach: number;
  readonly climbOut: number;
  readonly max: number;
}

/** Non-volatile particles of one engine, corrected for losses in the sampling line. */
export interface NvpmEngine {
  readonly uid: string;
  readonly isStaged: boolean;
  readonly pressureRatio: number;
  readonly ambientTemperatureK: number;
  /** Lower heating value of the fuel of the test [J kg⁻¹]. */
  readonly heatOfCombustionJKg: number;
  readonly fuelFlowKgS: Float64Array;
  /** Mass index [kg per kg]. */
  readonly massEi: Float64Array;
  /** Number index [per kg]. */
  readonly numberEi: Float64Array;
  readonly massPeak: MeasuredPeak;
  readonly numberPeak: MeasuredPeak;
}

/** What a flight states about its engines. */
export interface EngineWish {
  readonly engineUid?: string | undefined;
  readonly engineCount?: number | undefined;
  /** The flight's own type designator; its most common engine is assumed when no uid is given. */
  readonly aircraftType?: string | undefined;
}

export interface EngineOptions {
  /** Assume the most common engine of the type when no uid is given. */
  readonly useDefaultEngine?: boolean | undefined;
  /** An unknown uid is an error, or goes on with constant indices as the field's reference does. */
  readonly unknown?: 'error' | 'constant' | undefined;
}

export interface EngineSelection {
  /** The uid asked for or assumed; null when there is none. */
  readonly engineUid: string | null;
  /** The uid whose figures are used: the end of the line of successors. */
  readonly engineUidUsed: string | null;
  readonly engineCount: number | undefined;
  readonly gaseous: GaseousEngine | null;
  readonly nvpm: NvpmEngine | null;
}

const GASEOUS_ROWS = new Map(gaseous.engineUid.map((uid, row) => [uid, row]));
const NVPM_ROWS = new Map(nvpm.engineUid.map((uid, row) => [uid, row]));
const DEFAULT_ROWS = new Map(defaultEngines.icaoType.map((type, row) => [type, row]));
const parsedGaseous = new Map<string, GaseousEngine>();
const parsedNvpm = new Map<string, NvpmEngine>();
const MISSING_PRESSURE_KPA = 101.325;

/** Chooses the engine of a flight and reads its figures. */
export function selectEngine(wish: EngineWish, options: EngineOptions = {}): EngineSelection {
  const assumed =
    wish.engineUid === undefined && (options.useDefaultEngine ?? true) && wish.aircraftType !== undefined
      ? defaultEngine(wish.aircraftType)
      : undefined;
  const engineUid = wish.engineUid ?? assumed?.engineUid ?? null;
  const used = engineUid === null ? null : resolveEngineUid(engineUid);
  if (engineUid !== null && used === null && options.unknown !== 'constant') unknownEngine(engineUid);
  return {
    engineUid,
    engineUidUsed: used,
    engineCount: wish.engineCount ?? assumed?.engineCount,
    gaseous: used === null ? null : gaseousEngine(used),
    nvpm: used === null ? null : nvpmEngine(used),
  };
}

/** The engine at the end of the line of successors of a uid; null when a uid on the way is not in the databank. */
export function resolveEngineUid(uid: string): string | null {
  const row = GASEOUS_ROWS.get(uid);
  if (row === undefined) return null;
  const successor = gaseous.supersededByEngineUid[row] as string;
  return successor === '' ? uid : resolveEngineUid(successor);
}

/** Most common engine of a type designator and how many of them; undefined for types that are not listed. */
export function defaultEngine(icaoType: string): { engineUid: string; engineCount: number } | undefined {
  const row = DEFAULT_ROWS.get(designator(icaoType));
  if (row === undefined) return undefined;
  return {
    engineUid: defaultEngines.engineUid[row] as string,
    engineCount: defaultEngines.engineCount[row] as number,
  };
}

/** All uids of the databank. */
export function knownEngineUids(): readonly string[] {
  return gaseous.engineUid;
}

/** Gaseous figures of exactly this uid. */
export function gaseousEngine(uid: string): GaseousEngine | null {
  return readOnce(parsedGaseous, GASEOUS_ROWS, uid, parseGaseous);
}

/** nvPM figures of exactly this uid; null for engines that were not measured. */
export function nvpmEngine(uid: string): NvpmEngine | null {
  return readOnce(parsedNvpm, NVPM_ROWS, uid, parseNvpm);
}

function readOnce<T>(
  parsed: Map<string, T>,
  rows: ReadonlyMap<string, number>,
  uid: string,
  parse: (uid: string, row: number) => T,
): T | null {
  const known = parsed.get(uid);
  if (known !== undefined) return known;
  const row = rows.get(uid);
  if (row === undefined) return null;
  const engine = parse(uid, row);
  parsed.set(uid, engine);
  return engine;
}

function parseGaseous(uid: string, row: number): GaseousEngine {
  const cell = (column: Float64Array): number => column[row] as number;
  const stages = (scale: number, ...columns: Float64Array[]): Float64Array =>
    Float64Array.from(columns, (column) => cell(column) * scale);
  const t = gaseous;
  return {
    uid,
    isStaged: cell(t.hasStagedCombustor) === 1,
    bypassRatio: cell(t.bypassRatio),
    pressureRatio: cell(t.pressureRatio),
    ambientTemperatureK: mean(
      cell(t.ambientTemperatureMinK),
      cell(t.ambientTemperatureMaxK),
      SEA_LEVEL_TEMPERATURE_K,
    ),
    ambientPressurePa:
      1000 * mean(cell(t.ambientPressureMinKpa), cell(t.ambientPressureMaxKpa), MISSING_PRESSURE_KPA),
    fuelFlowKgS: stages(
      1,
      t.fuelFlowIdleKgS,
      t.fuelFlowApproachKgS,
      t.fuelFlowClimbOutKgS,
      t.fuelFlowTakeOffKgS,
    ),
    noxEi: stages(1e-3, t.noxEiIdleGKg, t.noxEiApproachGKg, t.noxEiClimbOutGKg, t.noxEiTakeOffGKg),
    coEi: stages(1e-3, t.coEiIdleGKg, t.coEiApproachGKg, t.coEiClimbOutGKg, t.coEiTakeOffGKg),
    hcEi: stages(1e-3, t.hcEiIdleGKg, t.hcEiApproachGKg, t.hcEiClimbOutGKg, t.hcEiTakeOffGKg),
    smokeNumber: stages(
      1,
      t.smokeNumberIdle,
      t.smokeNumberApproach,
      t.smokeNumberClimbOut,
      t.smokeNumberTakeOff,
    ),
  };
}

function parseNvpm(uid: string, row: number): NvpmEngine {
  const cell = (column: Float64Array): number => column[row] as number;
  const stages = (scale: number, ...columns: Float64Array[]): Float64Array =>
    Float64Array.from(columns, (column) => cell(column) * scale);
  const t = nvpm;
  return {
    uid,
    isStaged: cell(t.hasStagedCombustor) === 1,
    pressureRatio: cell(t.pressureRatio),
    ambientTemperatureK: mean(
      cell(t.ambientTemperatureMinK),
      cell(t.ambientTemperatureMaxK),
      SEA_LEVEL_TEMPERATURE_K,
    ),
    heatOfCombustionJKg: 1e6 * cell(t.fuelHeatOfCombustionMjKg),
    fuelFlowKgS: stages(
      1,
      t.fuelFlowIdleKgS,
      t.fuelFlowApproachKgS,
      t.fuelFlowClimbOutKgS,
      t.fuelFlowTakeOffKgS,
    ),
    massEi: stages(
      1e-6,
      t.nvpmMassEiLossCorrectedIdleMgKg,
      t.nvpmMassEiLossCorrectedApproachMgKg,
      t.nvpmMassEiLossCorrectedClimbOutMgKg,
      t.nvpmMassEiLossCorrectedTakeOffMgKg,
    ),
    numberEi: stages(
      1,
      t.nvpmNumberEiLossCorrectedIdlePerKg,
      t.nvpmNumberEiLossCorrectedApproachPerKg,
      t.nvpmNumberEiLossCorrectedClimbOutPerKg,
      t.nvpmNumberEiLossCorrectedTakeOffPerKg,
    ),
    massPeak: {
      isMidPower: cell(t.nvpmMassPeakIsMidPower) === 1,
      approach: 1e-6 * cell(t.nvpmMassEiMeasuredApproachMgKg),
      climbOut: 1e-6 * cell(t.nvpmMassEiMeasuredClimbOutMgKg),
      max: 1e-6 * cell(t.nvpmMassEiMeasuredMaxMgKg),
    },
    numberPeak: {
      isMidPower: cell(t.nvpmNumberPeakIsMidPower) === 1,
      approach: cell(t.nvpmNumberEiMeasuredApproachPerKg),
      climbOut: cell(t.nvpmNumberEiMeasuredClimbOutPerKg),
      max: cell(t.nvpmNumberEiMeasuredMaxPerKg),
    },
  };
}

function mean(low: number, high: number, missing: number): number {
  return ((Number.isNaN(low) ? missing : low) + (Number.isNaN(high) ? missing : high)) / 2;
}

function unknownEngine(engineUid: string): never {
  const matches = nearMatches(engineUid, knownEngineUids());
  throw new InputError(
    `engine_uid ${JSON.stringify(engineUid)} is not in the ICAO emissions databank.${didYouMean(matches)}`,
    { field: 'engine_uid', value: engineUid, nearMatches: matches },
  );
}
