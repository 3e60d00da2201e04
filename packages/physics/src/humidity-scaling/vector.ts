/** Corrections of humidity as formulas of a vector loop, for machines that compute many points at once. */
import { lnSaturationIce, lnSaturationLiquid } from '../atmosphere/saturation-vector.ts';
import { EPSILON } from '../constants.ts';
import type { LoopBody, Operand, Vector, VectorLoop, VectorMath } from '../vector/expression.ts';
import { DEFAULT_BY_LEVEL_PARAMS, divisors, thresholdsHpa } from './by-level.ts';
import type { HumidityScalingOptions } from './by-name.ts';
import { DEFAULT_CONSTANT_PARAMS } from './constant.ts';
import { DEFAULT_EXPONENTIAL_BOOST_PARAMS } from './exponential-boost.ts';
import { FREEZING_K, type LatitudeSigmoid, latitudeBoostCoefficients } from './latitude-boost.ts';

/** What a correction reads; it writes the humidity and the relative humidity over ice. */
export type HumidityColumn = 'humidity' | 'rhi' | 'temperature' | 'pressure' | 'latitude';

/** Relative humidity over ice per specific humidity. */
export function rhiPerHumidity(m: VectorMath, pressure: Vector, temperature: Vector): Vector {
  return m.mul(pressure, m.exp(m.neg(m.add(lnSaturationIce(m, temperature), Math.log(EPSILON)))));
}

/** Humidity divided by `adjustment`, and what of it is above saturation raised to a power. */
function scale(
  adjustment: (m: VectorMath, latitude: Vector, pressure: Vector) => Operand,
  boost?: {
    readonly exponent: (m: VectorMath, latitude: Vector) => Operand;
    readonly highest: (loop: VectorLoop<HumidityColumn>, m: VectorMath, temperature: Vector) => Operand;
  },
): LoopBody<HumidityColumn> {
  return (loop, m) => {
    const temperature = loop.load('temperature');
    const latitude = m.abs(loop.load('latitude'));
    const pressure = loop.load('pressure');
    const k = rhiPerHumidity(m, pressure, temperature);
    const humidity = m.div(loop.load('humidity'), adjustment(m, latitude, pressure));
    const rhi = m.mul(k, humidity);
    if (boost === undefined) {
      loop.store('humidity', humidity);
      loop.store('rhi', rhi);
      return;
    }
    const boosted = loop.variable(rhi);
    const isSupersaturated = m.isAtMost(1, rhi);
    loop.whereAny(isSupersaturated, () => {
      const power = m.exp(m.mul(boost.exponent(m, latitude), m.log(rhi)));
      loop.assign(boosted, m.select(isSupersaturated, power, rhi));
    });
    const limited = m.atMost(loop.read(boosted), boost.highest(loop, m, temperature));
    loop.store('rhi', limited);
    loop.store('humidity', m.select(m.isEqual(limited, rhi), humidity, m.div(limited, k)));
  };
}

const sigmoid =
  ({ height, base, steepness, centreDeg }: LatitudeSigmoid) =>
  (m: VectorMath, latitude: Vector) =>
    m.add(m.div(height, m.add(1, m.exp(m.mul(steepness, m.sub(latitude, centreDeg))))), base);

function divisorByLevel(m: VectorMath, _latitude: Vector, pressure: Vector): Vector {
  const [high, low] = thresholdsHpa(DEFAULT_BY_LEVEL_PARAMS);
  const [ofHigh, ofLow] = divisors(DEFAULT_BY_LEVEL_PARAMS);
  const within = m.atMost(m.atLeast(m.div(pressure, 100), high), low);
  return m.add(ofHigh, m.mul((ofLow - ofHigh) / (low - high), m.sub(within, high)));
}

function highestOfAir(loop: VectorLoop<HumidityColumn>, m: VectorMath, T: Vector): Vector {
  const highest = loop.variable(m.add(1.67, m.mul((1.45 - 1.67) / (FREEZING_K - 190), m.sub(T, 190))));
  const isWarm = m.isAtMost(FREEZING_K, T);
  loop.whereAny(isWarm, () => {
    const liquid = m.exp(m.sub(lnSaturationLiquid(m, T), lnSaturationIce(m, T)));
    loop.assign(highest, m.select(isWarm, liquid, loop.read(highest)));
  });
  return loop.read(highest);
}

const formulas = new Map<string, LoopBody<HumidityColumn> | undefined>();

/**
 * The formula of a scaling by its public name, or `none`; undefined where there is none of this kind. One scaling has one formula.
 * `histogramFormula` has that of histogram matching, with its tables.
 */
export function humidityFormula(
  name: string,
  options: HumidityScalingOptions,
): LoopBody<HumidityColumn> | undefined {
  const key = JSON.stringify([name, Object.entries(options).sort()]);
  if (!formulas.has(key)) formulas.set(key, formulaOf(name, options));
  return formulas.get(key);
}

function formulaOf(name: string, options: HumidityScalingOptions): LoopBody<HumidityColumn> | undefined {
  switch (name) {
    case 'none':
      return scale(() => 1);
    case 'constant_scale':
      return scale(() => options.rhiAdj ?? DEFAULT_CONSTANT_PARAMS.rhiAdj);
    case 'constant_scale_by_level':
      return scale(divisorByLevel);
    case 'exponential_boost': {
      const { rhiAdj, rhiBoostExponent, clipUpper } = { ...DEFAULT_EXPONENTIAL_BOOST_PARAMS, ...options };
      return scale(() => rhiAdj, {
        exponent: () => rhiBoostExponent,
        highest: () => clipUpper,
      });
    }
    case 'exponential_boost_latitude_customization': {
      const { divisor, exponent } = latitudeBoostCoefficients(
        options.levelType ?? 'pressure',
        options.qMethod ?? 'none',
      );
      return scale(sigmoid(divisor), { exponent: sigmoid(exponent), highest: highestOfAir });
    }
    default:
      return undefined;
  }
}
