/**
 * Relative humidity over ice mapped from the quantiles of ERA5 to those of IAGOS aircraft measurements at the same
 * places (Platt et al. 2024).
 */

import type { QMethod } from '../atmosphere/interpolation.ts';
import { rhiPerHumidityInto } from '../atmosphere/rh-per-humidity.ts';
import { humidityQuantilesEnsemble } from '../data/humidity-quantiles-ensemble.ts';
import { humidityQuantilesModelLevel } from '../data/humidity-quantiles-model-level.ts';
import { humidityQuantilesPressureLevel } from '../data/humidity-quantiles-pressure-level.ts';
import { InputError } from '../errors.ts';
import { type Column, inBlocks, requireSameLength } from '../numerics/columns.ts';
import { indexKnots, type KnotIndex, lerpIndexed } from '../numerics/knot-index.ts';
import { lerp } from '../numerics/lerp.ts';
import { Scratch } from '../numerics/scratch.ts';
import type { HumidityScaling, LevelType } from './scaling.ts';

export const ENSEMBLE_MEMBERS = 10;

/** Which weather data the humidity comes from. */
export interface HistogramMatchingParams {
  readonly levelType: LevelType;
  readonly qMethod: QMethod;
  readonly productType: 'reanalysis' | 'ensemble_members';
  /** Member 0–9 of the ensemble; needed for 'ensemble_members' on pressure levels. */
  readonly member: number | undefined;
}

const DEFAULTS: HistogramMatchingParams = {
  levelType: 'pressure',
  qMethod: 'none',
  productType: 'reanalysis',
  member: undefined,
};

const scratch = new Scratch();

/** Quantiles of the model and of the measurements, 801 each. */
export interface QuantileMap {
  readonly model: Float64Array;
  readonly observed: Float64Array;
}

/** Quantiles for the given data; model-level ensembles have none of their own and take those of the reanalysis. */
export function quantileMap(given: Partial<HistogramMatchingParams> = {}): QuantileMap {
  const { levelType, productType, member, qMethod } = { ...DEFAULTS, ...given };
  if (productType === 'ensemble_members' && levelType === 'pressure') return memberQuantiles(member, qMethod);
  const table = levelType === 'model' ? humidityQuantilesModelLevel : humidityQuantilesPressureLevel;
  const model = {
    none: table.reanalysisLinearQRhi,
    'cubic-spline': table.reanalysisCubicSplineRhi,
    'log-q-log-p': table.reanalysisLogQLogPRhi,
  }[qMethod];
  return { model, observed: table.observedRhi };
}

function memberQuantiles(member: number | undefined, qMethod: QMethod): QuantileMap {
  const method = { none: 'LinearQ', 'cubic-spline': 'CubicSpline', 'log-q-log-p': 'LogQLogP' }[qMethod];
  const columns: Readonly<Record<string, unknown>> = humidityQuantilesEnsemble;
  const model = columns[`member${member}${method}Rhi`];
  if (!(model instanceof Float64Array)) {
    throw new InputError(
      `ensemble member ${member ?? 'none'} has no humidity quantiles; give a member from 0 to ${ENSEMBLE_MEMBERS - 1}`,
      { member },
    );
  }
  return { model, observed: humidityQuantilesEnsemble.observedRhi };
}

/** Relative humidity over ice [0–1.65] that measurements show where the model shows `rhi`. */
export function histogramMatchedRhi(rhi: number, map: QuantileMap): number {
  return lerp(rhi, map.model, map.observed);
}

/** The scaling of {@link histogramMatchedRhi}. */
export function histogramMatching(given: Partial<HistogramMatchingParams> = {}): HumidityScaling {
  const { model, observed } = quantileMap(given);
  const knots = indexKnots(model, observed);
  const scaleBlock = scaleInto.bind(undefined, knots);
  return {
    className: 'HistogramMatching',
    name: 'histogram_matching',
    formula: 'era5_quantiles -> iagos_quantiles',
    parameters: {},
    scaleInto: (outHumidity, outRhi, specificHumidity, temperatureK, pressurePa) =>
      inBlocks(scaleBlock, outHumidity, outRhi, specificHumidity, temperatureK, pressurePa),
  };
}

function scaleInto(
  knots: KnotIndex,
  outHumidity: Column,
  outRhi: Column,
  specificHumidity: Column,
  temperatureK: Column,
  pressurePa: Column,
): void {
  requireSameLength(outHumidity, outRhi, specificHumidity);
  const n = outHumidity.length;
  const rhiPerHumidity = rhiPerHumidityInto(scratch.column(n), temperatureK, pressurePa);
  for (let i = 0; i < n; i++) {
    const k = rhiPerHumidity[i] as number;
    const rhi = lerpIndexed(k * (specificHumidity[i] as number), knots);
    outRhi[i] = rhi;
    outHumidity[i] = rhi / k;
  }
}
