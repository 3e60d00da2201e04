import { aircraftBodyClass } from '../data/aircraft-body-class.ts';
import { lerp } from '../numerics/lerp.ts';
import { designator } from './designator.ts';
import { DEFAULT_ENGINE_DETERIORATION } from './propulsion.ts';

const AGE_YEARS = Float64Array.of(0.5, 1.5, 2.5, 6.5, 10);
const RELATIVE_FUEL: Readonly<Record<string, Float64Array>> = {
  narrow: Float64Array.of(1, 1.02, 1.04, 1.05, 1.06),
  wide: Float64Array.of(1.005, 1.01, 1.015, 1.018, 1.02),
};
const BODY_CLASS = new Map(
  aircraftBodyClass.icaoType.map((type, row) => [type, aircraftBodyClass.bodyClass[row]]),
);

/**
 * Share of engine efficiency lost at an age [years] of a type, by body class (Gurrola Arrieta, Botez and
 * Lasne 2024, as used with the PS model); the default for types of neither class. The type is the aircraft's
 * own designator, not the one whose parameters stand in for it.
 */
export function engineDeterioration(
  icaoType: string,
  ageYears: number,
  otherwise: number = DEFAULT_ENGINE_DETERIORATION,
): number {
  const relativeFuel = RELATIVE_FUEL[BODY_CLASS.get(designator(icaoType)) ?? ''];
  return relativeFuel === undefined ? otherwise : lerp(ageYears, AGE_YEARS, relativeFuel) - 1;
}
