/**
 * Older nvPM methods, kept for comparison: FOX (Stettler et al. 2013), ImFOX (Abrahamson et al. 2016), and number
 * from mass by fractal aggregates (Teoh et al. 2019, 2020). No default workflow uses them.
 */
import { SEA_LEVEL_TEMPERATURE_K, SURFACE_PRESSURE_PA } from '../constants.ts';
import { JET_A1 } from '../fuel.ts';
import {
  airToFuelRatioCruise,
  airToFuelRatioGround,
  combustorInletPressurePa,
  combustorInletTemperatureK,
  inletPressurePa,
  inletTemperatureK,
} from './engine-cycle.ts';

const FRACTAL_EXPONENT = 3 * 0.39 + 0.61 * 2.76;
const FRACTAL_MASS_FACTOR =
  1770 * (Math.PI / 6) * 1.621e-5 ** (3 - 2.76) * Math.exp(0.5 * FRACTAL_EXPONENT ** 2 * Math.log(1.8) ** 2);

/** nvPM mass index [kg per kg] of the formation–oxidation method. */
export function foxMassEi(
  pressurePa: number,
  temperatureK: number,
  mach: number,
  thrust: number,
  fuelFlowPerEngineKgS: number,
  pressureRatio: number,
): number {
  const referencePa = combustorInletPressurePa(SURFACE_PRESSURE_PA, pressureRatio, 1);
  const referenceFlameK = flameTemperatureK(
    combustorInletTemperatureK(SEA_LEVEL_TEMPERATURE_K, referencePa / SURFACE_PRESSURE_PA),
  );
  const referenceAirToFuel = airToFuelRatioGround(1);
  const referenceSoot = sootMgM3(356, fuelFlowPerEngineKgS / thrust, referenceFlameK, referenceAirToFuel);

  const inletK = inletTemperatureK(temperatureK, mach);
  const inletPa = inletPressurePa(pressurePa, mach);
  const combustorPa = combustorInletPressurePa(inletPa, pressureRatio, thrust);
  const flameK = flameTemperatureK(combustorInletTemperatureK(inletK, combustorPa / inletPa));
  const airToFuel = airToFuelRatioCruise(thrust, inletK);
  const soot =
    referenceSoot *
    (referenceAirToFuel / airToFuel) ** 2.5 *
    (combustorPa / referencePa) ** 1.35 *
    Math.exp(20000 / flameK - 20000 / referenceFlameK);
  return massEiOf(soot, airToFuel);
}

/** nvPM mass index [kg per kg] of the improved FOX method for a hydrogen content [% by mass]. */
export function imfoxMassEi(
  thrust: number,
  fuelFlowPerEngineKgS: number,
  hydrogenPercent: number = JET_A1.hydrogenContentPercent,
): number {
  const airToFuel = 55.4 - 30.8 * thrust;
  const turbineInletK = 490 + 42266 / airToFuel;
  const formation = fuelFlowPerEngineKgS * Math.exp(13.6 - hydrogenPercent);
  return massEiOf(sootMgM3(295, formation, turbineInletK, airToFuel), airToFuel);
}

/** Mean of both methods, each scaled to measurements. */
export function foxImfoxMassEi(fox: number, imfox: number): number {
  return 0.5 * (0.8 * fox + 1.5 * imfox);
}

/** Geometric mean diameter [m] of particles at a T₄/T₂ in cruise. */
export function legacyMeanDiameterM(t4t2: number): number {
  return (2.5883 * t4t2 * t4t2 - 5.3723 * t4t2 + 16.721 - 5.75) * 1e-9;
}

/** nvPM number index [per kg] of a mass index and a geometric mean diameter [m] by fractal aggregates. */
export function fractalNumberEi(massEi: number, meanDiameterM: number): number {
  return massEi / (FRACTAL_MASS_FACTOR * meanDiameterM ** FRACTAL_EXPONENT);
}

/** Points of {@link legacyNvpmInto}. */
export interface LegacyNvpmInput {
  readonly airPressurePa: Float64Array;
  readonly airTemperatureK: Float64Array;
  readonly mach: Float64Array;
  readonly thrustSetting: Float64Array;
  readonly fuelFlowPerEngineKgS: Float64Array;
  readonly pressureRatio: number;
  readonly hydrogenPercent: number;
}

/** Loop over {@link foxImfoxMassEi} of both methods. */
export function legacyNvpmInto(massEi: Float64Array, input: LegacyNvpmInput): Float64Array {
  for (let i = 0; i < massEi.length; i++) {
    const thrust = input.thrustSetting[i] as number;
    const flow = input.fuelFlowPerEngineKgS[i] as number;
    const fox = foxMassEi(
      input.airPressurePa[i] as number,
      input.airTemperatureK[i] as number,
      input.mach[i] as number,
      thrust,
      flow,
      input.pressureRatio,
    );
    massEi[i] = foxImfoxMassEi(fox, imfoxMassEi(thrust, flow, input.hydrogenPercent));
  }
  return massEi;
}

function flameTemperatureK(combustorInletK: number): number {
  return 0.9 * combustorInletK + 2120;
}

/** Soot concentration [mg m⁻³]: formation less oxidation. */
function sootMgM3(formation: number, flow: number, temperatureK: number, airToFuel: number): number {
  return (
    flow * (formation * Math.exp(-6390 / temperatureK) - 608 * airToFuel * Math.exp(-19778 / temperatureK))
  );
}

function massEiOf(sootMgM3: number, airToFuel: number): number {
  return sootMgM3 * (0.776 * airToFuel + 0.877) * 1e-6;
}
