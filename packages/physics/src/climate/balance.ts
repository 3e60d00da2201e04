/** The climate balance of a flight: CO2, contrails of the contrail model, NOx and water vapour, each counted once. */

import { type Fuel, JET_A1 } from '../fuel.ts';
import { ACCF_CO2 } from './accf.ts';
import { CO2E_SURFACE_M2, type Co2eSet, EFFECTIVE_OVER_RADIATIVE, YEAR_S } from './co2-equivalence.ts';
import { accfMetrics, addMetrics, co2Metrics, contrailMetrics, type MetricsBlock } from './metrics.ts';

/** What each segment emits, and the functions at its first waypoint (pulse, 20 years); NaN is unknown. */
export interface SegmentEmissions {
  readonly fuelBurnKg: Float64Array;
  readonly noxEi: Float64Array;
  /** With the climb. */
  readonly lengthM: Float64Array;
  readonly o3: Float64Array;
  readonly ch4: Float64Array;
  readonly pmo: Float64Array;
  readonly h2o: Float64Array;
  readonly contrail: Float64Array;
  readonly pcfa: Float64Array;
}

export interface BalanceOptions {
  readonly efficacy: boolean;
  readonly set: Co2eSet;
  readonly methaneLifetimeYears: number;
}

export interface SpeciesBalance {
  /** Mean temperature response of 20 years, in the kelvins of the functions. */
  readonly atr20K: number;
  readonly co2e: MetricsBlock;
}

export interface FlightBalance {
  readonly fuelKg: number;
  /** Share of the burnt fuel whose functions of NOx and water vapour are known. */
  readonly coverage: number;
  readonly co2: SpeciesBalance & { readonly kg: number };
  readonly contrails: SpeciesBalance & { readonly energyForcingJ: number };
  readonly nox: SpeciesBalance & {
    readonly kg: number;
    readonly o3K: number;
    readonly ch4K: number;
    readonly pmoK: number;
  };
  readonly h2o: SpeciesBalance & { readonly kg: number };
  /** Contrails by the climate change function, for comparison: no sum includes them. */
  readonly contrailsAccf: SpeciesBalance & { readonly km: number };
  /** Contrails of the contrail model, NOx and water vapour. */
  readonly nonCo2: MetricsBlock;
  readonly total: MetricsBlock;
}

/** K W⁻¹ m² yr⁻¹ of a pulse in the kelvins of the functions. */
const CONTRAIL_K_PER_PULSE = 0.0151;

/** Unknown terms are left out of sums. */
export function flightBalance(
  emissions: SegmentEmissions,
  energyForcingJ: number,
  { eiCo2, eiH2o }: Pick<Fuel, 'eiCo2' | 'eiH2o'>,
  { efficacy, set, methaneLifetimeYears }: BalanceOptions,
): FlightBalance {
  const { fuelBurnKg, noxEi } = emissions;
  const sums = { fuel: 0, covered: 0, nox: 0, o3: 0, ch4: 0, pmo: 0, h2o: 0, contrail: 0, km: 0 };
  for (let i = 0; i < fuelBurnKg.length; i++) {
    const burn = known(fuelBurnKg[i]);
    const nox = known(burn * (noxEi[i] as number));
    const km = known(emissions.lengthM[i]) / 1000;
    sums.fuel += burn;
    sums.nox += nox;
    sums.o3 += known(nox * (emissions.o3[i] as number));
    sums.ch4 += known(nox * (emissions.ch4[i] as number));
    sums.pmo += known(nox * (emissions.pmo[i] as number));
    sums.h2o += known(burn * (emissions.h2o[i] as number));
    sums.contrail += known(km * (emissions.contrail[i] as number));
    if (emissions.pcfa[i] === 1) sums.km += km;
    const isCovered = !Number.isNaN((emissions.o3[i] as number) + (emissions.h2o[i] as number));
    if (isCovered) sums.covered += burn;
  }
  const pulse = (energyForcingJ * (efficacy ? EFFECTIVE_OVER_RADIATIVE : 1)) / (CO2E_SURFACE_M2 * YEAR_S);
  const shortLived = (kelvin: number) => accfMetrics(kelvin, 0, set, methaneLifetimeYears);
  const h2oK = (sums.h2o * eiH2o) / JET_A1.eiH2o;
  const co2Kg = sums.fuel * eiCo2;
  const contrails = contrailMetrics(energyForcingJ, { efficacy, set });
  const nox = accfMetrics(sums.o3, sums.ch4 + sums.pmo, set, methaneLifetimeYears);
  const h2o = shortLived(h2oK);
  const nonCo2 = addMetrics(contrails, nox, h2o);
  const co2 = co2Metrics(co2Kg);
  return {
    fuelKg: sums.fuel,
    coverage: sums.fuel === 0 ? 1 : sums.covered / sums.fuel,
    co2: { kg: co2Kg, atr20K: (ACCF_CO2 * co2Kg) / JET_A1.eiCo2, co2e: co2 },
    contrails: { energyForcingJ, atr20K: CONTRAIL_K_PER_PULSE * pulse, co2e: contrails },
    nox: {
      kg: sums.nox,
      atr20K: sums.o3 + sums.ch4 + sums.pmo,
      o3K: sums.o3,
      ch4K: sums.ch4,
      pmoK: sums.pmo,
      co2e: nox,
    },
    h2o: { kg: sums.fuel * eiH2o, atr20K: h2oK, co2e: h2o },
    contrailsAccf: { km: sums.km, atr20K: sums.contrail, co2e: shortLived(sums.contrail) },
    nonCo2,
    total: addMetrics(co2, nonCo2),
  };
}

function known(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value;
}
