import { rhPerHumidityInto } from '../atmosphere/rh-per-humidity.ts';
import {
  saturationPressureLiquidInto,
  tabulatedSaturationLiquid,
  tabulatedSaturationLiquidSlope,
} from '../atmosphere/saturation-table.ts';
import { moistHeatCapacity } from '../atmosphere/thermodynamics.ts';
import { EPSILON } from '../constants.ts';
import {
  type Column,
  type ColumnOrConstant,
  MAX_BLOCK,
  requireSameLength,
  type Strided,
  strided,
} from '../numerics/columns.ts';
import { clip } from '../numerics/lerp.ts';
import { Scratch } from '../numerics/scratch.ts';
import {
  criticalTemperatureOf,
  criticalVapourPressure,
  exhaustMoistureToHeat,
  sacFlag,
  thresholdTemperature,
} from './sac.ts';

const ENDLESS = Number.POSITIVE_INFINITY;

/** Inputs of the Schmidt–Appleman criterion; specific humidity after any scaling. */
export interface SacInputs {
  readonly specificHumidity: Column;
  readonly temperatureK: Column;
  readonly pressurePa: Column;
  readonly engineEfficiency: ColumnOrConstant;
  readonly eiH2o: ColumnOrConstant;
  readonly qFuelJKg: ColumnOrConstant;
}

/** Columns to fill; only `sac` is required. */
export interface SacOutputs {
  readonly sac: Column;
  /** G [Pa K⁻¹]. */
  readonly slope?: Column;
  /** T_LM [K]. */
  readonly thresholdK?: Column;
  readonly rh?: Column;
  readonly rhCritical?: Column;
}

/**
 * Loop over the functions of sac.ts, saturation tabulated. On a grid an unknown threshold temperature (only above
 * the level of about 8 hPa) means "no contrail"; along a trajectory it stays unknown.
 */
export function sacInto(out: SacOutputs, inputs: SacInputs, domain: 'trajectory' | 'grid'): void {
  const { sac, slope, thresholdK, rh, rhCritical } = out;
  const { specificHumidity, temperatureK, pressurePa } = inputs;
  requireSameLength(sac, specificHumidity, temperatureK, pressurePa);
  for (const optional of [slope, thresholdK, rh, rhCritical]) if (optional) requireSameLength(sac, optional);
  const exhaust = {
    engineEfficiency: strided(inputs.engineEfficiency, sac),
    eiH2o: strided(inputs.eiH2o, sac),
    qFuelJKg: strided(inputs.qFuelJKg, sac),
  };
  const noThreshold = domain === 'grid' ? Number.POSITIVE_INFINITY : Number.NaN;
  for (let from = 0; from < sac.length; from += MAX_BLOCK) {
    const part = (column: Column): Column => column.subarray(from, from + MAX_BLOCK);
    const found = sacBlock(
      part(specificHumidity),
      part(temperatureK),
      part(pressurePa),
      exhaust,
      from,
      noThreshold,
    );
    flagsInto(part(sac), found.rh, found.rhCritical);
    slope?.set(found.slope, from);
    thresholdK?.set(found.thresholdK, from);
    rh?.set(found.rh, from);
    rhCritical?.set(found.rhCritical, from);
  }
}

/** What mixing lines have of engine and fuel. */
interface Exhaust {
  readonly engineEfficiency: Strided;
  readonly eiH2o: Strided;
  readonly qFuelJKg: Strided;
}

const scratch = new Scratch();

/** All but the flags at the points of a block that starts with point `from`. The answer holds until the next call. */
function sacBlock(
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
  exhaust: Exhaust,
  from: number,
  noThreshold: number,
): Required<Omit<SacOutputs, 'sac'>> {
  const n = specificHumidity.length;
  const [slope, thresholdK, saturation, rh, rhCritical] = scratch.columns(5, n) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  exhaustInto(slope, exhaust, from);
  for (let i = 0; i < n; i++) {
    const G =
      (slope[i] as number) * moistHeatCapacity(specificHumidity[i] as number) * (pressurePa[i] as number);
    slope[i] = G;
    thresholdK[i] = thresholdTemperature(G);
  }
  saturationPressureLiquidInto(saturation, thresholdK);
  const rhPerHumidity = rhPerHumidityInto(rh, temperatureK, pressurePa);
  for (let i = 0; i < n; i++) {
    const T = temperatureK[i] as number;
    const threshold = thresholdK[i] as number;
    const vapour = criticalVapourPressure(T, slope[i] as number, threshold, saturation[i] as number);
    const perVapour = (EPSILON * (rhPerHumidity[i] as number)) / (pressurePa[i] as number);
    const critical = clip(vapour * perVapour, 0, 1);
    const known = threshold > 0 ? (threshold < ENDLESS ? critical : 0) : noThreshold;
    rhCritical[i] = T > threshold ? ENDLESS : known;
  }
  for (let i = 0; i < n; i++) rh[i] = (rhPerHumidity[i] as number) * (specificHumidity[i] as number);
  return { slope, thresholdK, rh, rhCritical };
}

function exhaustInto(out: Float64Array, exhaust: Exhaust, from: number): void {
  const { values: efficiency, step: efficiencyStep } = exhaust.engineEfficiency;
  const { values: water, step: waterStep } = exhaust.eiH2o;
  const { values: heat, step: heatStep } = exhaust.qFuelJKg;
  if (efficiencyStep + waterStep + heatStep === 0) {
    out.fill(exhaustMoistureToHeat(efficiency[0] as number, water[0] as number, heat[0] as number));
    return;
  }
  for (let i = 0; i < out.length; i++) {
    const at = from + i;
    out[i] = exhaustMoistureToHeat(
      efficiency[at * efficiencyStep] as number,
      water[at * waterStep] as number,
      heat[at * heatStep] as number,
    );
  }
}

function flagsInto(out: Column, rh: Column, rhCritical: Column): void {
  for (let i = 0; i < out.length; i++) out[i] = sacFlag(rh[i] as number, rhCritical[i] as number);
}

/** `criticalTemperature`, saturation tabulated. */
export function tabulatedCriticalTemperature(rh: number, slope: number, thresholdK: number): number {
  return criticalTemperatureOf(
    rh,
    slope,
    thresholdK,
    tabulatedSaturationLiquid,
    tabulatedSaturationLiquidSlope,
  );
}

/** Loop over `criticalTemperature`, saturation tabulated. */
export function criticalTemperatureInto<Out extends Column>(
  out: Out,
  rh: Column,
  slope: Column,
  thresholdK: Column,
): Out {
  requireSameLength(out, rh, slope, thresholdK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = tabulatedCriticalTemperature(rh[i] as number, slope[i] as number, thresholdK[i] as number);
  }
  return out;
}
