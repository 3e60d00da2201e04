import { type Column, type ColumnOrConstant, requireSameLength, strided } from '../columns.ts';
import { EPSILON } from '../constants.ts';
import { clip } from '../lerp.ts';
import {
  tabulatedRhFactor,
  tabulatedSaturationLiquid,
  tabulatedSaturationLiquidSlope,
} from '../saturation-table.ts';
import { moistHeatCapacity } from '../thermodynamics.ts';
import {
  criticalTemperatureOf,
  criticalVapourPressure,
  exhaustMoistureToHeat,
  sacFlag,
  thresholdTemperature,
} from './sac.ts';

/** What the Schmidt–Appleman criterion looks at; specific humidity after any scaling. */
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
  const { values: efficiency, step: efficiencyStep } = strided(inputs.engineEfficiency, sac);
  const { values: water, step: waterStep } = strided(inputs.eiH2o, sac);
  const { values: heat, step: heatStep } = strided(inputs.qFuelJKg, sac);
  const exhaustVaries = efficiencyStep + waterStep + heatStep > 0;
  let exhaust = exhaustMoistureToHeat(efficiency[0] as number, water[0] as number, heat[0] as number);
  const noThreshold = domain === 'grid' ? Number.POSITIVE_INFINITY : Number.NaN;
  const n = sac.length;
  for (let i = 0; i < n; i++) {
    const q = specificHumidity[i] as number;
    const T = temperatureK[i] as number;
    const p = pressurePa[i] as number;
    if (exhaustVaries) {
      exhaust = exhaustMoistureToHeat(
        efficiency[i * efficiencyStep] as number,
        water[i * waterStep] as number,
        heat[i * heatStep] as number,
      );
    }
    const G = exhaust * moistHeatCapacity(q) * p;
    const threshold = thresholdTemperature(G);
    const factor = tabulatedRhFactor(T);
    const humidity = q * p * factor;
    let critical = noThreshold;
    if (T > threshold) critical = Number.POSITIVE_INFINITY;
    else if (threshold === Number.POSITIVE_INFINITY) critical = 0;
    else if (threshold > 0) {
      const atThreshold = tabulatedSaturationLiquid(threshold);
      critical = clip(criticalVapourPressure(T, G, threshold, atThreshold) * EPSILON * factor, 0, 1);
    }
    sac[i] = sacFlag(humidity, critical);
    if (slope) slope[i] = G;
    if (thresholdK) thresholdK[i] = threshold;
    if (rh) rh[i] = humidity;
    if (rhCritical) rhCritical[i] = critical;
  }
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
    out[i] = criticalTemperatureOf(
      rh[i] as number,
      slope[i] as number,
      thresholdK[i] as number,
      tabulatedSaturationLiquid,
      tabulatedSaturationLiquidSlope,
    );
  }
  return out;
}

/** {@link criticalTemperatureInto} where the criterion holds; NaN elsewhere. */
export function criticalTemperatureOfFormedInto<Out extends Column>(
  out: Out,
  sac: Column,
  rh: Column,
  slope: Column,
  thresholdK: Column,
): Out {
  requireSameLength(out, sac, rh, slope, thresholdK);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] =
      sac[i] === 1
        ? criticalTemperatureOf(
            rh[i] as number,
            slope[i] as number,
            thresholdK[i] as number,
            tabulatedSaturationLiquid,
            tabulatedSaturationLiquidSlope,
          )
        : Number.NaN;
  }
  return out;
}
