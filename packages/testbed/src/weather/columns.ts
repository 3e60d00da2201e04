/** The columns of air along a circle of latitude: the zonal mean, bent by weather systems. */
import { zonalMean } from './climate.ts';
import { SYSTEM_WAVENUMBERS, systemsAt } from './systems.ts';
import { type Circle, makeSeries, type Series, type Wave } from './waves.ts';

/** A quantity at every longitude of a row with its derivatives by longitude and latitude [rad⁻¹]. */
export interface Gradients {
  readonly value: Float64Array;
  readonly eastward: Float64Array;
  readonly northward: Float64Array;
}

/** See `ColumnShape` for what the quantities mean. */
export interface Columns {
  readonly surfaceGeopotential: Gradients;
  /** Cooling with log-pressure height below the tropopause [K]. */
  readonly troposphereSlope: Gradients;
  readonly tropopause: Gradients;
  readonly tropopauseTemperature: Gradients;
  /** Of the tropopause; see `balanceLevel`. */
  readonly surfaceRoot: Float64Array;
  readonly surfaceRootIntegral: Float64Array;
  /** The same at all longitudes: value and derivative by latitude. */
  stratosphereSlope: number;
  stratosphereSlopeNorthward: number;
  /** Of the systems at a latitude, and a little north and south of it. */
  readonly systems: Readonly<Record<'here' | 'above' | 'below', Series>>;
}

export function makeColumns(longitudes: number): Columns {
  const gradients = (): Gradients => ({
    value: new Float64Array(longitudes),
    eastward: new Float64Array(longitudes),
    northward: new Float64Array(longitudes),
  });
  const series = () => makeSeries(SYSTEM_WAVENUMBERS.length);
  return {
    surfaceGeopotential: gradients(),
    troposphereSlope: gradients(),
    tropopause: gradients(),
    tropopauseTemperature: gradients(),
    surfaceRoot: new Float64Array(longitudes),
    surfaceRootIntegral: new Float64Array(longitudes),
    stratosphereSlope: 0,
    stratosphereSlopeNorthward: 0,
    systems: { here: series(), above: series(), below: series() },
  };
}

/** How gently the tropopause bends, in log-pressure height. */
const ROUNDING = 0.14;

/** Root mean square of what systems do to a column in the middle of a storm track. */
const TROPOPAUSE_LIFT = 0.13;
const TROPOPAUSE_COOLING_K = 3.2;
const SURFACE_WARMING_K = 6;
const SURFACE_GEOPOTENTIAL = 750;
/** Fronts: how much sharper warm and cold air meet than a sine wave would have it. */
const FRONT_SHARPNESS = 1.1;
/** Systems lean westward with height: surface highs and warm air lie east of the ridge above [rad]. */
const PRESSURE_LEAD = (75 * Math.PI) / 180;
const WARMTH_LEAD = (25 * Math.PI) / 180;

/** Derivatives by latitude of what is only known by formula are differences over twice this [°]. */
const HALF_STEP_DEG = 0.1;
const STEP_RAD = (2 * HALF_STEP_DEG * Math.PI) / 180;

export function bendColumns(
  out: Columns,
  circle: Circle,
  systems: readonly Wave[],
  latitudeDeg: number,
  days: number,
  summer: number,
): void {
  const south = zonalMean(latitudeDeg - HALF_STEP_DEG, summer);
  const north = zonalMean(latitudeDeg + HALF_STEP_DEG, summer);
  const mean = zonalMean(latitudeDeg, summer);
  const slope = (name: keyof typeof mean) => (north[name] - south[name]) / STEP_RAD;
  const meanGradient = {
    surfaceGeopotential: slope('surfaceGeopotential'),
    surfaceTemperature: slope('surfaceTemperature'),
    tropopause: slope('tropopause'),
    tropopauseTemperature: slope('tropopauseTemperature'),
  };
  out.stratosphereSlope = mean.stratosphereSlope;
  out.stratosphereSlopeNorthward = slope('stratosphereSlope');

  const terms = SYSTEM_WAVENUMBERS.length;
  const { here, above, below } = out.systems;
  systemsAt(here, systems, latitudeDeg, days, summer);
  systemsAt(above, systems, latitudeDeg + HALF_STEP_DEG, days, summer);
  systemsAt(below, systems, latitudeDeg - HALF_STEP_DEG, days, summer);

  const n = out.tropopause.value.length;
  for (let i = 0; i < n; i++) {
    // Ridge: the sum of waves; flank: the same a quarter of a wavelength further east.
    let ridge = 0;
    let flank = 0;
    let ridgeEast = 0;
    let flankEast = 0;
    let ridgeNorth = 0;
    let flankNorth = 0;
    for (let term = 0; term < terms; term++) {
      const c = circle.cosine[i * terms + term] as number;
      const s = circle.sine[i * terms + term] as number;
      const a = here.cosine[term] as number;
      const b = here.sine[term] as number;
      const an = ((above.cosine[term] as number) - (below.cosine[term] as number)) / STEP_RAD;
      const bn = ((above.sine[term] as number) - (below.sine[term] as number)) / STEP_RAD;
      const m = circle.wavenumbers[term] as number;
      const wave = a * c + b * s;
      const quadrature = a * s - b * c;
      ridge += wave;
      flank += quadrature;
      ridgeEast -= m * quadrature;
      flankEast += m * wave;
      ridgeNorth += an * c + bn * s;
      flankNorth += an * s - bn * c;
    }

    put(
      out.tropopause,
      i,
      mean.tropopause + TROPOPAUSE_LIFT * ridge,
      TROPOPAUSE_LIFT * ridgeEast,
      meanGradient.tropopause + TROPOPAUSE_LIFT * ridgeNorth,
    );
    put(
      out.tropopauseTemperature,
      i,
      mean.tropopauseTemperature - TROPOPAUSE_COOLING_K * ridge,
      -TROPOPAUSE_COOLING_K * ridgeEast,
      meanGradient.tropopauseTemperature - TROPOPAUSE_COOLING_K * ridgeNorth,
    );
    put(
      out.surfaceGeopotential,
      i,
      mean.surfaceGeopotential + SURFACE_GEOPOTENTIAL * led(PRESSURE_LEAD, ridge, flank),
      SURFACE_GEOPOTENTIAL * led(PRESSURE_LEAD, ridgeEast, flankEast),
      meanGradient.surfaceGeopotential + SURFACE_GEOPOTENTIAL * led(PRESSURE_LEAD, ridgeNorth, flankNorth),
    );

    const warm = Math.tanh(FRONT_SHARPNESS * led(WARMTH_LEAD, ridge, flank));
    const front = SURFACE_WARMING_K * FRONT_SHARPNESS * (1 - warm * warm);
    const surface = mean.surfaceTemperature + SURFACE_WARMING_K * warm;
    const surfaceEast = front * led(WARMTH_LEAD, ridgeEast, flankEast);
    const surfaceNorth = meanGradient.surfaceTemperature + front * led(WARMTH_LEAD, ridgeNorth, flankNorth);
    const height = out.tropopause.value[i] as number;
    const root = rootOf(height);
    out.surfaceRoot[i] = root;
    out.surfaceRootIntegral[i] = rootIntegral(height, root);
    const cooling = (surface - (out.tropopauseTemperature.value[i] as number)) / height;
    put(
      out.troposphereSlope,
      i,
      cooling,
      (surfaceEast -
        (out.tropopauseTemperature.eastward[i] as number) -
        cooling * (out.tropopause.eastward[i] as number)) /
        height,
      (surfaceNorth -
        (out.tropopauseTemperature.northward[i] as number) -
        cooling * (out.tropopause.northward[i] as number)) /
        height,
    );
  }
}

function put(target: Gradients, i: number, value: number, eastward: number, northward: number): void {
  target.value[i] = value;
  target.eastward[i] = eastward;
  target.northward[i] = northward;
}

/** A wave moved eastward by a phase, from itself and its quadrature. */
function led(phase: number, wave: number, quadrature: number): number {
  return Math.cos(phase) * wave + Math.sin(phase) * quadrature;
}

/** √(x² + w²) at a distance below the tropopause. */
export function rootOf(x: number): number {
  return Math.sqrt(x * x + ROUNDING * ROUNDING);
}

/** ∫ √(x² + w²) dx, given the root. */
export function rootIntegral(x: number, root: number): number {
  return 0.5 * (x * root + ROUNDING * ROUNDING * Math.log(x + root));
}
