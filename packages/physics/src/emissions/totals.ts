import { requireSameLength } from '../columns.ts';
import type { Fuel } from '../fuel.ts';
import { sumIgnoringNaN } from '../sums.ts';
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
  return totalsOf(out);
}

function totalsOf(amounts: EmissionAmounts): EmissionTotals {
  return {
    co2: sumIgnoringNaN(amounts.co2),
    h2o: sumIgnoringNaN(amounts.h2o),
    so2: sumIgnoringNaN(amounts.so2),
    sulphates: sumIgnoringNaN(amounts.sulphates),
    organicCarbon: sumIgnoringNaN(amounts.organicCarbon),
    nox: sumIgnoringNaN(amounts.nox),
    co: sumIgnoringNaN(amounts.co),
    hc: sumIgnoringNaN(amounts.hc),
    nvpmMass: sumIgnoringNaN(amounts.nvpmMass),
    nvpmNumber: sumIgnoringNaN(amounts.nvpmNumber),
  };
}
