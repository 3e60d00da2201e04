/** nvPM from smoke numbers: SCOPE11 (Agarwal et al. 2019, doi 10.1021/acs.est.8b04060). */
import { GAS_CONSTANT_DRY, SEA_LEVEL_DENSITY_KG_M3 } from '../constants.ts';
import { JET_A1 } from '../fuel.ts';
import {
  combustorInletPressurePa,
  combustorInletTemperatureK,
  turbineInletTemperatureK,
} from './engine-cycle.ts';
import type { GaseousEngine } from './engines.ts';

/** Thrust settings and air-to-fuel ratios of the four stages. */
export const STAGE_THRUST = [0.07, 0.3, 0.85, 1] as const;
const STAGE_AIR_TO_FUEL = [106, 83, 51, 45] as const;

const PARTICLE_DENSITY_KG_M3 = 1000;
const LOG_GEOMETRIC_DEVIATION = Math.log(1.8);

/** Black-carbon concentration [µg m⁻³] at the instrument. */
export function instrumentConcentration(smokeNumber: number): number {
  return (648.4 * Math.exp(0.0766 * smokeNumber)) / (1 + Math.exp(-1.098 * (smokeNumber - 3.064)));
}

/** Factor that makes up for particles lost in the sampling line. */
export function systemLossFactor(concentration: number, bypassRatio: number): number {
  const core = concentration * (1 + bypassRatio);
  return Math.log((3.219 * core + 312.5) / (core + 42.6));
}

/** Exhaust [m³ per kg of fuel]. */
export function exhaustVolume(airToFuel: number, bypassRatio: number): number {
  return 0.776 * airToFuel * (1 + bypassRatio) + 0.877;
}

/** nvPM mass index [kg per kg]. */
export function scope11MassEi(smokeNumber: number, airToFuel: number, bypassRatio: number): number {
  const concentration = instrumentConcentration(smokeNumber);
  const volume = exhaustVolume(airToFuel, bypassRatio);
  return concentration * volume * systemLossFactor(concentration, bypassRatio) * 1e-9;
}

/** Density [kg m⁻³] at the combustor exit from ambient temperature [K] and pressure [Pa]. */
export function combustorExitDensity(
  temperatureK: number,
  pressurePa: number,
  thrust: number,
  pressureRatio: number,
  airToFuel: number,
): number {
  const inletPa = combustorInletPressurePa(pressurePa, pressureRatio, thrust);
  const inletK = combustorInletTemperatureK(temperatureK, inletPa / pressurePa);
  return inletPa / (GAS_CONSTANT_DRY * turbineInletTemperatureK(airToFuel, inletK, JET_A1.qFuelJKg));
}

/** Black-carbon concentration [µg m⁻³] at the combustor exit. */
export function combustorExitConcentration(
  concentration: number,
  bypassRatio: number,
  exitDensityKgM3: number,
): number {
  const lossCorrected = concentration * systemLossFactor(concentration, bypassRatio);
  return (lossCorrected * (1 + bypassRatio) * exitDensityKgM3) / SEA_LEVEL_DENSITY_KG_M3;
}

/** Geometric mean diameter [nm]. */
export function geometricMeanDiameterNm(exitConcentration: number): number {
  return 5.08 * exitConcentration ** 0.185;
}

/** nvPM number index [per kg] of a mass index and a lognormal size distribution. */
export function scope11NumberEi(massEi: number, diameterNm: number): number {
  const cubed = (diameterNm * 1e-9) ** 3 * Math.exp(4.5 * LOG_GEOMETRIC_DEVIATION ** 2);
  return massEi / ((Math.PI / 6) * PARTICLE_DENSITY_KG_M3 * cubed);
}

/** Mass and number indices at the four stages of an engine; NaN without a bypass ratio. */
export function scope11Stages(engine: GaseousEngine): { massEi: Float64Array; numberEi: Float64Array } {
  const massEi = new Float64Array(4);
  const numberEi = new Float64Array(4);
  for (let k = 0; k < 4; k++) {
    const smokeNumber = engine.smokeNumber[k] as number;
    const airToFuel = STAGE_AIR_TO_FUEL[k] as number;
    const density = combustorExitDensity(
      engine.ambientTemperatureK,
      engine.ambientPressurePa,
      STAGE_THRUST[k] as number,
      engine.pressureRatio,
      airToFuel,
    );
    const concentration = combustorExitConcentration(
      instrumentConcentration(smokeNumber),
      engine.bypassRatio,
      density,
    );
    massEi[k] = scope11MassEi(smokeNumber, airToFuel, engine.bypassRatio);
    numberEi[k] = scope11NumberEi(massEi[k] as number, geometricMeanDiameterNm(concentration));
  }
  return { massEi, numberEi };
}
