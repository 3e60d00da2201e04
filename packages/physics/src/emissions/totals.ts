import { requireSameLength } from '../columns.ts';
import type { Fuel } from '../fuel.ts';
import type { EmissionIndices } from './emissions.ts';

/** Mass [kg] of a species on every leg, or the number of particles. The last waypoint holds NaN. */
export interface EmissionAmounts {
  readonly co2: Float64Array;
  readonly h2o: Float64Array;
  readonly so2: Float64Array;
  readonly sulphates: Float64Array;
  readonly organicCarbon: Float64Array;
  readonly nox: Float64Array;
  readonly co: Float64Array;
  readonly hc: Float64Array;
  readonly nvpmMass: Float64Array;
  readonly nvpmNumber: Float64Array;
}

/** The same summed over a flight. */
export type EmissionTotals = { readonly [Species in keyof EmissionAmounts]: number };

/**
 * Emissions of every leg from fuel flow [kg s⁻¹, all engines], duration [s] and indices, and their sums over the
 * flight; unknown legs do not count in the sums.
 */
export function emissionAmountsInto(
  out: EmissionAmounts,
  fuelFlowKgS: Float64Array,
  durationS: Float64Array,
  indices: Pick<EmissionIndices, 'noxEi' | 'coEi' | 'hcEi' | 'nvpmEiM' | 'nvpmEiN'>,
  fuel: Fuel,
): EmissionTotals {
  requireSameLength(fuelFlowKgS, durationS, indices.noxEi);
  const { noxEi, coEi, hcEi, nvpmEiM, nvpmEiN } = indices;
  const { nox, co, hc, nvpmMass, nvpmNumber } = out;
  let [burnt, totalNox, totalCo, totalHc, totalMass, totalNumber] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < fuelFlowKgS.length; i++) {
    const burn = (fuelFlowKgS[i] as number) * (durationS[i] as number);
    burnt += known(burn);
    out.co2[i] = burn * fuel.eiCo2;
    out.h2o[i] = burn * fuel.eiH2o;
    out.so2[i] = burn * fuel.eiSo2;
    out.sulphates[i] = burn * fuel.eiSulphates;
    out.organicCarbon[i] = burn * fuel.eiOrganicCarbon;
    nox[i] = burn * (noxEi[i] as number);
    totalNox += known(nox[i] as number);
    co[i] = burn * (coEi[i] as number);
    totalCo += known(co[i] as number);
    hc[i] = burn * (hcEi[i] as number);
    totalHc += known(hc[i] as number);
    nvpmMass[i] = burn * (nvpmEiM[i] as number);
    totalMass += known(nvpmMass[i] as number);
    nvpmNumber[i] = burn * (nvpmEiN[i] as number);
    totalNumber += known(nvpmNumber[i] as number);
  }
  return {
    co2: burnt * fuel.eiCo2,
    h2o: burnt * fuel.eiH2o,
    so2: burnt * fuel.eiSo2,
    sulphates: burnt * fuel.eiSulphates,
    organicCarbon: burnt * fuel.eiOrganicCarbon,
    nox: totalNox,
    co: totalCo,
    hc: totalHc,
    nvpmMass: totalMass,
    nvpmNumber: totalNumber,
  };
}

function known(amount: number): number {
  return Number.isNaN(amount) ? 0 : amount;
}
