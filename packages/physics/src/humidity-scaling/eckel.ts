/**
 * Histogram matching of a whole ensemble, its spread recalibrated after Eckel et al. (2012). Experimental in the
 * literature: it needs the specific humidity of all ten members at a point.
 */

import type { QMethod } from '../atmosphere/interpolation.ts';
import { tabulatedRhiFactor } from '../atmosphere/saturation-table.ts';
import { InputError } from '../errors.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';
import {
  ENSEMBLE_MEMBERS,
  histogramMatchedRhi,
  type QuantileMap,
  quantileMap,
} from './histogram-matching.ts';
import type { ScalingDescription } from './scaling.ts';

export interface EckelCoefficients {
  readonly shift: number;
  readonly spread: number;
}

const COEFFICIENTS: Readonly<Record<QMethod, EckelCoefficients>> = {
  none: { shift: -6.365384483974193e-5, spread: 2.731157095387021 },
  'cubic-spline': { shift: -6.268024189244961e-5, spread: 2.6843757126334302 },
  'log-q-log-p': { shift: -5.8690498260424506e-5, spread: 2.679501356493337 },
};

/** Relative humidity over ice of a member from its matched value and the mean of all matched values. */
export function eckelRhi(memberRhi: number, meanRhi: number, qMethod: QMethod): number {
  const { shift, spread } = COEFFICIENTS[qMethod];
  return Math.max(meanRhi - shift + spread * (memberRhi - meanRhi), 0);
}

/** A scaling that reads ten columns of specific humidity, one per ensemble member. */
export interface EnsembleHumidityScaling extends ScalingDescription {
  /** Writes the scaled humidity and relative humidity over ice of the chosen member. */
  scaleInto(
    outHumidity: Column,
    outRhi: Column,
    memberHumidities: readonly Column[],
    temperatureK: Column,
    pressurePa: Column,
  ): void;
}

/** The scaling of {@link eckelRhi} for one member (0–9). */
export function histogramMatchingWithEckel(
  member: number,
  qMethod: QMethod = 'none',
): EnsembleHumidityScaling {
  const maps = Array.from({ length: ENSEMBLE_MEMBERS }, (_, index) =>
    quantileMap({ productType: 'ensemble_members', member: index, qMethod }),
  );
  if (maps[member] === undefined) {
    throw new InputError(
      `ensemble member ${member} does not exist; give one from 0 to ${ENSEMBLE_MEMBERS - 1}`,
      {
        member,
      },
    );
  }
  return {
    className: 'HistogramMatchingWithEckel',
    name: 'histogram_matching_with_eckel',
    formula: 'era5_quantiles -> iagos_quantiles -> recalibrated_rhi',
    parameters: {},
    scaleInto: (outHumidity, outRhi, memberHumidities, temperatureK, pressurePa) =>
      scaleInto(outHumidity, outRhi, memberHumidities, temperatureK, pressurePa, { maps, member, qMethod }),
  };
}

interface Choice {
  readonly maps: readonly QuantileMap[];
  readonly member: number;
  readonly qMethod: QMethod;
}

function scaleInto(
  outHumidity: Column,
  outRhi: Column,
  memberHumidities: readonly Column[],
  temperatureK: Column,
  pressurePa: Column,
  { maps, member, qMethod }: Choice,
): void {
  if (memberHumidities.length !== ENSEMBLE_MEMBERS) {
    throw new InputError(
      `histogram_matching_with_eckel needs the humidity of ${ENSEMBLE_MEMBERS} members; ${memberHumidities.length} given`,
      { members: memberHumidities.length },
    );
  }
  requireSameLength(outHumidity, outRhi, temperatureK, pressurePa, ...memberHumidities);
  const n = outHumidity.length;
  for (let i = 0; i < n; i++) {
    const k = (pressurePa[i] as number) * tabulatedRhiFactor(temperatureK[i] as number);
    let sum = 0;
    let own = Number.NaN;
    for (let m = 0; m < ENSEMBLE_MEMBERS; m++) {
      const matched = histogramMatchedRhi(
        k * ((memberHumidities[m] as Column)[i] as number),
        maps[m] as QuantileMap,
      );
      sum += matched;
      if (m === member) own = matched;
    }
    const rhi = eckelRhi(own, sum / ENSEMBLE_MEMBERS, qMethod);
    outRhi[i] = rhi;
    outHumidity[i] = rhi / k;
  }
}
