import type { WeatherPoints, WeatherPositions } from '@contrails/physics/cocip';
import { isSameMap } from '../field/axis.ts';
import type { MetField } from '../field/field.ts';
import { type HumidityMethod, humiditySampler } from './humidity-interpolation.ts';
import { LocatedPoints } from './points.ts';

/** Specific humidity of the members of an ensemble at the same points [kg kg⁻¹], a column for each. */
interface MemberHumidity {
  sample(out: readonly Float64Array[], points: WeatherPoints, count: number): void;
  /** Looks up where positions lie, for levels that follow; others make what was returned before worthless. */
  locate(
    positions: WeatherPositions,
    located: number,
  ): { sample(out: readonly Float64Array[], level: Float64Array, count: number): void };
}

/** From fields that each have the specific humidity of a member. */
export function memberHumidity(fields: readonly MetField[], method: HumidityMethod): MemberHumidity {
  const [first] = fields;
  const shared = new LocatedPoints();
  const members = fields.map((field) => ({
    field,
    sampler: humiditySampler(field, method),
    points: first !== undefined && isSameMap(first, field) ? shared : new LocatedPoints(),
  }));
  return {
    sample(out, points, count) {
      members.forEach(({ sampler }, m) => {
        sampler.sample(out[m] as Float64Array, points, count);
      });
    },
    locate(positions, located) {
      for (const { field, points } of members) {
        if (points !== shared || field === first) points.locate(field, positions, 0, located);
      }
      return {
        sample(out, level, count) {
          members.forEach(({ sampler, points }, m) => {
            sampler.sampleAt(out[m] as Float64Array, points, level, count);
          });
        },
      };
    },
  };
}
