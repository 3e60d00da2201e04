/**
 * Radiation of a source as the models want it: shortwave and longwave at the top of the atmosphere, dated in the
 * middle of the time they describe.
 */

import { fluxPerUnit, type RadiationAccumulation, radiationTimesMs } from '@contrails/physics/atmosphere';
import type { RadiationPair } from '@contrails/physics/cocip';
import { HOUR_MS, sharedFloat32, sharedFloat64 } from '@contrails/runtime';
import { slices, type Work } from '@contrails/runtime/turns';
import { MetError } from '../errors.ts';
import { makeAxis } from '../field/axis.ts';
import type { FieldValues, MetField } from '../field/field.ts';
import type { RadiationField } from '../interpolate/radiation-sampler.ts';
import type { RadiationConvention, SourceDescription } from '../source.ts';

/** Which variables of a source are its radiation, and what they mean. */
export interface RadiationVariables {
  /** `surface`: shortwave at the surface, from which that at the top is estimated, with water vapour as a third variable. */
  readonly pair: Exclude<RadiationPair, 'albedo'> | 'surface';
  readonly variables: readonly [shortwave: string, longwave: string, ...water: string[]];
}

/** In the order of preference. */
const PAIRS: readonly RadiationVariables[] = [
  {
    pair: 'net-and-outgoing',
    variables: ['toa_net_downward_shortwave_flux', 'toa_outgoing_longwave_flux'],
  },
  { pair: 'upward', variables: ['toa_upward_shortwave_flux', 'toa_upward_longwave_flux'] },
  { pair: 'net', variables: ['top_net_solar_radiation', 'top_net_thermal_radiation'] },
];

export const SURFACE_SHORTWAVE = 'surface_net_solar_radiation';

const AT_SURFACE: RadiationVariables = {
  pair: 'surface',
  variables: [SURFACE_SHORTWAVE, 'top_net_thermal_radiation', 'total_column_water_vapour'],
};

/** The radiation among the variables of a source, undefined when it has no complete pair and none may be estimated. */
export function radiationVariables(
  held: readonly string[],
  canEstimate = false,
): RadiationVariables | undefined {
  const isHeld = ({ variables }: RadiationVariables) => variables.every((name) => held.includes(name));
  return PAIRS.find(isHeld) ?? (canEstimate && isHeld(AT_SURFACE) ? AT_SURFACE : undefined);
}

/** The radiation that a source is read with. */
export function radiationOf({
  variables,
  estimatesRadiation,
}: SourceDescription): RadiationVariables | undefined {
  return radiationVariables(variables, estimatesRadiation);
}

/** The radiation of a source that has to have it. */
export function requireRadiation(description: SourceDescription): RadiationVariables {
  const found = radiationOf(description);
  if (found !== undefined) return found;
  throw new MetError('missing-variable', `${description.name} has no radiation`, {
    source: description.name,
  });
}

/** The pair that a variable belongs to, also where the other one is missing. */
export function pairOf(variable: string): RadiationVariables | undefined {
  return [...PAIRS, AT_SURFACE].find(({ variables }) => variables.slice(0, 2).includes(variable));
}

/**
 * The stamps (increasing) to read to know radiation from `first` to `last`, as far as it is stored; the nearest one
 * where nothing covers the time at all.
 */
export function radiationStamps(
  stamps: ArrayLike<number>,
  convention: RadiationConvention,
  [first, last]: readonly [number, number],
): readonly [first: number, last: number] | undefined {
  const middles = radiationTimesMs(accumulationOf(convention), Float64Array.from(stamps));
  if (middles.length === 0) return undefined;
  const dropped = stamps.length - middles.length;
  const from = Math.max(
    middles.findLastIndex((middle) => middle <= first),
    0,
  );
  const after = middles.findIndex((middle) => middle >= last);
  const to = after < 0 ? middles.length - 1 : after;
  // What accumulates since the start of a forecast is a difference: it needs the stamp before.
  return [stamps[from] as number, stamps[to + dropped] as number];
}

/**
 * Stored radiation, the two variables of a pair, → radiation for the models. `startMs` is given where sums since the
 * start of a forecast are stored without a field at the start: it is 0 by definition. `floats` gives memory for differences.
 */
export function* prepareRadiation(
  stored: MetField,
  pair: RadiationPair,
  convention: RadiationConvention,
  startMs?: number,
  floats: (index: number, length: number) => Float32Array = (_, length) => sharedFloat32(length),
): Work<RadiationField> {
  const accumulation = accumulationOf(convention);
  const fromZero = accumulation === 'forecast-start' && startMs !== undefined;
  const stamps = fromZero ? Float64Array.of(startMs, ...stored.time.knots) : stored.time.knots;
  const times = radiationTimesMs(accumulation, stamps);
  if (times.length === 0) {
    throw new MetError(
      'missing-time',
      'radiation that accumulates since the start of a forecast needs at least two times',
      { times: [...stored.time.knots] },
    );
  }
  const slabs =
    accumulation === 'forecast-start'
      ? yield* hourlyDifferences(stored.slabs, stamps, fromZero, floats)
      : stored.slabs;
  return { field: { ...stored, time: makeAxis(times), slabs }, pair, fluxPerUnit: fluxFactor(convention) };
}

/** From the unit of prepared radiation to W m⁻². */
export function fluxFactor(convention: RadiationConvention): number {
  return fluxPerUnit(convention.unit, accumulationOf(convention));
}

/** `fromZero`: the first of the stamps has no slab, and a sum of 0. */
function* hourlyDifferences(
  slabs: readonly FieldValues[],
  stamps: Float64Array,
  fromZero: boolean,
  floats: (index: number, length: number) => Float32Array,
): Work<FieldValues[]> {
  const differences: FieldValues[] = [];
  for (const [i, slab] of slabs.slice(fromZero ? 0 : 1).entries()) {
    const before = fromZero ? slabs[i - 1] : slabs[i];
    const hours = ((stamps[i + 1] as number) - (stamps[i] as number)) / HOUR_MS;
    const difference = slab instanceof Float32Array ? floats(i, slab.length) : sharedFloat64(slab.length);
    yield* slices(slab.length, (start, end) => {
      for (let p = start; p < end; p++)
        difference[p] = ((slab[p] as number) - (before === undefined ? 0 : (before[p] as number))) / hours;
    });
    differences.push(difference);
  }
  return differences;
}

function accumulationOf(convention: RadiationConvention): RadiationAccumulation {
  switch (convention.kind) {
    case 'instantaneous':
    case 'window-means':
      return 'none';
    case 'since-run-start':
      return 'forecast-start';
    case 'past-hours':
      return convention.hours === 3 ? 'past-three-hours' : 'past-hour';
  }
}
