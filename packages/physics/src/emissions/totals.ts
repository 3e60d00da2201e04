import type { Fuel } from '../fuel.ts';
import { requireSameLength } from '../numerics/columns.ts';
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

/** Indices that the amounts are made of. */
export type AmountIndices = Pick<EmissionIndices, 'noxEi' | 'coEi' | 'hcEi' | 'nvpmEiM' | 'nvpmEiN'>;

/** Emissions of every leg from fuel flow [kg s⁻¹, all engines], duration [s] and indices. */
export function emissionAmountsInto(
  out: EmissionAmounts,
  fuelFlowKgS: Float64Array,
  durationS: Float64Array,
  indices: AmountIndices,
  fuel: Fuel,
): void {
  requireSameLength(fuelFlowKgS, durationS, indices.noxEi, out.co2);
  for (let i = 0; i < fuelFlowKgS.length; i++) {
    const burn = (fuelFlowKgS[i] as number) * (durationS[i] as number);
    out.co2[i] = burn * fuel.eiCo2;
    out.h2o[i] = burn * fuel.eiH2o;
    out.so2[i] = burn * fuel.eiSo2;
    out.sulphates[i] = burn * fuel.eiSulphates;
    out.organicCarbon[i] = burn * fuel.eiOrganicCarbon;
    out.nox[i] = burn * (indices.noxEi[i] as number);
    out.co[i] = burn * (indices.coEi[i] as number);
    out.hc[i] = burn * (indices.hcEi[i] as number);
    out.nvpmMass[i] = burn * (indices.nvpmEiM[i] as number);
    out.nvpmNumber[i] = burn * (indices.nvpmEiN[i] as number);
  }
}

/** Emissions of a whole flight; legs where an amount is unknown do not count in it. */
export function emissionTotals(
  fuelFlowKgS: Float64Array,
  durationS: Float64Array,
  indices: AmountIndices,
  fuel: Fuel,
): EmissionTotals {
  requireSameLength(fuelFlowKgS, durationS, indices.noxEi);
  const { noxEi, coEi, hcEi, nvpmEiM, nvpmEiN } = indices;
  let [burnt, nox, co, hc, nvpmMass, nvpmNumber] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < fuelFlowKgS.length; i++) {
    const burn = (fuelFlowKgS[i] as number) * (durationS[i] as number);
    burnt += known(burn);
    nox += known(burn * (noxEi[i] as number));
    co += known(burn * (coEi[i] as number));
    hc += known(burn * (hcEi[i] as number));
    nvpmMass += known(burn * (nvpmEiM[i] as number));
    nvpmNumber += known(burn * (nvpmEiN[i] as number));
  }
  return {
    co2: burnt * fuel.eiCo2,
    h2o: burnt * fuel.eiH2o,
    so2: burnt * fuel.eiSo2,
    sulphates: burnt * fuel.eiSulphates,
    organicCarbon: burnt * fuel.eiOrganicCarbon,
    nox,
    co,
    hc,
    nvpmMass,
    nvpmNumber,
  };
}

function known(amount: number): number {
  return Number.isNaN(amount) ? 0 : amount;
}
