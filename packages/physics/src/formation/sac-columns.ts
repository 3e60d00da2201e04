import { type Column, type ColumnOrConstant, requireSameLength, strided } from '../columns.ts';
import { EPSILON } from '../constants.ts';
import { LIQUID_TABLE, tabulatedSaturationLiquid } from '../saturation-table.ts';
import { criticalRelativeHumidityFrom, mixingLineSlope, sacFlag, thresholdTemperature } from './sac.ts';

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
  const efficiency = strided(inputs.engineEfficiency, sac);
  const water = strided(inputs.eiH2o, sac);
  const heat = strided(inputs.qFuelJKg, sac);
  const liquid = LIQUID_TABLE;
  const unknownThreshold = domain === 'grid' ? Number.POSITIVE_INFINITY : Number.NaN;
  for (let i = 0; i < sac.length; i++) {
    const q = specificHumidity[i] as number;
    const T = temperatureK[i] as number;
    const p = pressurePa[i] as number;
    const G = mixingLineSlope(
      q,
      p,
      efficiency.values[i * efficiency.step] as number,
      water.values[i * water.step] as number,
      heat.values[i * heat.step] as number,
    );
    const threshold = thresholdTemperature(G);
    const saturation = tabulatedSaturationLiquid(liquid, T);
    const humidity = (q * p) / (EPSILON * saturation);
    const critical = Number.isNaN(threshold)
      ? unknownThreshold
      : criticalRelativeHumidityFrom(
          T,
          G,
          threshold,
          saturation,
          tabulatedSaturationLiquid(liquid, threshold),
        );
    sac[i] = sacFlag(humidity, critical);
    if (slope) slope[i] = G;
    if (thresholdK) thresholdK[i] = threshold;
    if (rh) rh[i] = humidity;
    if (rhCritical) rhCritical[i] = critical;
  }
}
