import type { RadiationPair, WeatherPoints, WeatherPositions } from '@contrails/physics/cocip';
import { isSameMap } from '../field/axis.ts';
import type { MetField } from '../field/field.ts';
import { sampleInto } from './interpolate.ts';
import { interpolateInto, NO_LAYERS } from './interpolate-points.ts';
import { LocatedPoints } from './points.ts';

export interface RadiationField {
  /** Two variables, shortwave and longwave, on times that are already the middle of what they describe. */
  readonly field: MetField;
  readonly pair: RadiationPair;
  /** From the unit of the field to W m⁻², applied after interpolation. */
  readonly fluxPerUnit: number;
  /** The shortwave part is estimated from the surface. */
  readonly isEstimated?: true;
  /** What goes on where the field ends, of the same pair. */
  readonly later?: RadiationField;
}

/** After which time albedos are estimated [ms since 1970]; undefined where none is. */
export function estimatedAfter({ field, isEstimated, later }: RadiationField): number | undefined {
  if (isEstimated) return Number.NEGATIVE_INFINITY;
  return later?.isEstimated ? field.time.knots[field.time.knots.length - 1] : undefined;
}

/** Interpolates radiation, whose grid may differ from that of weather on levels. */
export class RadiationSampler {
  readonly #radiation: RadiationField;
  readonly #sharesGrid: boolean;
  readonly #points: LocatedPoints;
  readonly #later: RadiationSampler | undefined;
  #spare = [new Float64Array(0), new Float64Array(0)] as const;

  /** `located`: the points of `levels`, which are located first. */
  constructor(radiation: RadiationField, levels: MetField, located: LocatedPoints) {
    this.#radiation = radiation;
    this.#sharesGrid = isSameMap(levels, radiation.field);
    this.#points = this.#sharesGrid ? located : new LocatedPoints();
    this.#later = radiation.later && new RadiationSampler(radiation.later, levels, located);
  }

  sample(shortwave: Float64Array, longwave: Float64Array, points: WeatherPoints, count: number): void {
    const { field, fluxPerUnit } = this.#radiation;
    sampleInto([shortwave, longwave], field, 0, points, count);
    toFluxes(shortwave, longwave, fluxPerUnit, count);
    this.#goOn(shortwave, longwave, points.timeMs, count, (later, ...out) =>
      later.sample(...out, points, count),
    );
  }

  locate(positions: WeatherPositions, count: number): void {
    if (!this.#sharesGrid) this.#points.locate(this.#radiation.field, positions, 0, count);
    this.#later?.locate(positions, count);
  }

  sampleLocated(shortwave: Float64Array, longwave: Float64Array, count: number): void {
    const { field, fluxPerUnit } = this.#radiation;
    // A field without levels ignores them.
    interpolateInto([shortwave, longwave], field, 0, this.#points, shortwave, 0, count, NO_LAYERS);
    toFluxes(shortwave, longwave, fluxPerUnit, count);
    this.#goOn(shortwave, longwave, this.#points.timeMs, count, (later, ...out) =>
      later.sampleLocated(...out, count),
    );
  }

  /** Replaces values beyond the end of the field. */
  #goOn(
    shortwave: Float64Array,
    longwave: Float64Array,
    times: Float64Array,
    count: number,
    sample: (later: RadiationSampler, shortwave: Float64Array, longwave: Float64Array) => void,
  ): void {
    if (this.#later === undefined) return;
    const { knots } = this.#radiation.field.time;
    const end = knots[knots.length - 1] as number;
    if (this.#spare[0].length < count) this.#spare = [new Float64Array(count), new Float64Array(count)];
    const [laterShortwave, laterLongwave] = this.#spare;
    sample(this.#later, laterShortwave, laterLongwave);
    for (let p = 0; p < count; p++) {
      if ((times[p] as number) <= end) continue;
      shortwave[p] = laterShortwave[p] as number;
      longwave[p] = laterLongwave[p] as number;
    }
  }
}

function toFluxes(shortwave: Float64Array, longwave: Float64Array, fluxPerUnit: number, count: number): void {
  for (let p = 0; p < count; p++) {
    shortwave[p] = (shortwave[p] as number) * fluxPerUnit;
    longwave[p] = (longwave[p] as number) * fluxPerUnit;
  }
}
