/** Temperature, geopotential and wind of columns at one level. */
import { EARTH_RADIUS_M, GAS_CONSTANT_DRY } from '@contrails/physics/common';
import { type Columns, rootIntegral, rootOf } from './columns.ts';

/** What columns are at one level; one value for each longitude. */
export interface LevelRow {
  /** [K] */
  readonly temperature: Float64Array;
  /** [m² s⁻²] */
  readonly geopotential: Float64Array;
  /** [m s⁻¹] */
  readonly eastwardWind: Float64Array;
  /** [m s⁻¹] */
  readonly northwardWind: Float64Array;
}

export const makeLevelRow = (longitudes: number): LevelRow => ({
  temperature: new Float64Array(longitudes),
  geopotential: new Float64Array(longitudes),
  eastwardWind: new Float64Array(longitudes),
  northwardWind: new Float64Array(longitudes),
});

const ANGULAR_VELOCITY_S = 7.292e-5;
/** Near the equator the wind does not follow the pressure; below this Coriolis parameter balance fades [s⁻¹]. */
const MIN_CORIOLIS_S = 3e-5;
/** Trade winds and the easterlies above them [m s⁻¹]. */
const EASTERLIES_M_S = 7;
const EASTERLIES_WIDTH_DEG = 13;

/**
 * With x the distance below the tropopause, T = T_t + (a + b)/2 √(x² + w²) + (a − b)/2 x: it falls by a per unit of
 * log-pressure height well below the tropopause and rises by b well above. Its integral is the geopotential, whose
 * horizontal gradient the wind balances. Without wind, that of the row stays as it was.
 */
export function balanceLevel(
  out: LevelRow,
  columns: Columns,
  latitudeDeg: number,
  height: number,
  withWind: boolean,
): void {
  const { surfaceGeopotential, troposphereSlope, tropopause, tropopauseTemperature } = columns;
  const { surfaceRoot, surfaceRootIntegral } = columns;
  const b = columns.stratosphereSlope;
  const bNorth = columns.stratosphereSlopeNorthward;
  const latitude = (latitudeDeg * Math.PI) / 180;
  const coriolis = 2 * ANGULAR_VELOCITY_S * Math.sin(latitude);
  const windPerGradient =
    coriolis / ((coriolis * coriolis + MIN_CORIOLIS_S * MIN_CORIOLIS_S) * EARTH_RADIUS_M);
  const perEastward = windPerGradient / Math.max(Math.cos(latitude), 1e-9);
  const easterlies =
    EASTERLIES_M_S * Math.exp(-((latitudeDeg / EASTERLIES_WIDTH_DEG) ** 2)) * Math.exp(-height / 3);

  const n = out.temperature.length;
  for (let i = 0; i < n; i++) {
    const top = tropopause.value[i] as number;
    const a = troposphereSlope.value[i] as number;
    const x = top - height;
    const root = rootOf(x);
    // Integrals over height of the root and of x, from the surface up to here.
    const rooted = (surfaceRootIntegral[i] as number) - rootIntegral(x, root);
    const linear = height * (top - 0.5 * height);
    const bend = 0.5 * (a + b);
    const tilt = 0.5 * (a - b);
    out.temperature[i] = (tropopauseTemperature.value[i] as number) + bend * root + tilt * x;
    out.geopotential[i] =
      (surfaceGeopotential.value[i] as number) +
      GAS_CONSTANT_DRY *
        ((tropopauseTemperature.value[i] as number) * height + bend * rooted + tilt * linear);
    if (!withWind) continue;

    const perSlope = 0.5 * (rooted + linear);
    const perTropopause = bend * ((surfaceRoot[i] as number) - root) + tilt * height;
    const eastward =
      (surfaceGeopotential.eastward[i] as number) +
      GAS_CONSTANT_DRY *
        ((tropopauseTemperature.eastward[i] as number) * height +
          perSlope * (troposphereSlope.eastward[i] as number) +
          perTropopause * (tropopause.eastward[i] as number));
    const northward =
      (surfaceGeopotential.northward[i] as number) +
      GAS_CONSTANT_DRY *
        ((tropopauseTemperature.northward[i] as number) * height +
          perSlope * (troposphereSlope.northward[i] as number) +
          0.5 * (rooted - linear) * bNorth +
          perTropopause * (tropopause.northward[i] as number));
    out.eastwardWind[i] = -windPerGradient * northward - easterlies;
    out.northwardWind[i] = perEastward * eastward;
  }
}
