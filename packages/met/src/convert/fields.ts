/** Fields as some providers publish them → the variables of the models. All fields of a call lie on one grid. */
import { airDensity, saturationHumidityLiquid } from '@contrails/physics/atmosphere';
import { GRAVITY_M_S2 } from '@contrails/physics/common';

/** Specific humidity from relative humidity over liquid water (1 = saturated); values above 1 stay. */
export function specificHumidityOfRelativeHumidity(
  relativeHumidity: Float32Array,
  temperatureK: Float32Array,
  pressurePa: number,
): Float32Array {
  return relativeHumidity.map(
    (rh, i) => rh * saturationHumidityLiquid(temperatureK[i] as number, pressurePa),
  );
}

/** Wind components from its speed and the direction it comes from [°, clockwise from north]. */
export function windComponents(
  speed: Float32Array,
  fromDirectionDeg: Float32Array,
): { readonly eastward: Float32Array; readonly northward: Float32Array } {
  const radians = (i: number) => ((fromDirectionDeg[i] as number) * Math.PI) / 180;
  return {
    eastward: speed.map((s, i) => -s * Math.sin(radians(i))),
    northward: speed.map((s, i) => -s * Math.cos(radians(i))),
  };
}

/** Pressure velocity [Pa s⁻¹] of hydrostatic air that rises with `w` [m s⁻¹]. */
export function verticalVelocityOfGeometric(
  w: Float32Array,
  temperatureK: Float32Array,
  pressurePa: Float32Array,
): Float32Array {
  return w.map(
    (up, i) => -GRAVITY_M_S2 * up * airDensity(temperatureK[i] as number, pressurePa[i] as number),
  );
}

/**
 * Fields on the layers of a model, from the highest down and with the pressure of each, → fields on pressure levels. Linear
 * in the logarithm of pressure between neighbouring layers of a column, NaN where the layers do not enclose a level.
 */
export function modelToPressureLevels(
  pressurePa: readonly Float32Array[],
  fields: Readonly<Record<string, readonly Float32Array[]>>,
  targetsHpa: readonly number[],
): Record<string, Float32Array[]> {
  const points = pressurePa[0]?.length ?? 0;
  const outer = (layers: readonly Float32Array[]) =>
    targetsHpa.map(() => new Float32Array(layers[0]?.length ?? 0).fill(Number.NaN));
  const out = Object.fromEntries(Object.entries(fields).map(([name, layers]) => [name, outer(layers)]));
  for (const [t, hpa] of targetsHpa.entries()) {
    const target = hpa * 100;
    for (let i = 0; i < points; i++) {
      const below = pressurePa.findIndex((layer) => (layer[i] as number) >= target);
      if (below < 0) continue;
      const lower = pressurePa[below]?.[i] as number;
      // A level that is the pressure of the topmost layer needs no layer above.
      if (below === 0 && lower > target) continue;
      const above = Math.max(below - 1, 0);
      const upper = pressurePa[above]?.[i] as number;
      const weight = below === above ? 1 : Math.log(target / upper) / Math.log(lower / upper);
      for (const [name, layers] of Object.entries(fields)) {
        const column = out[name]?.[t] as Float32Array;
        const [a, b] = [layers[above]?.[i] as number, layers[below]?.[i] as number];
        column[i] = weight === 1 ? b : a + weight * (b - a);
      }
    }
  }
  return out;
}
