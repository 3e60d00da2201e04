/**
 * CO2 equivalents under nine metrics: global warming potential, global temperature change potential, and average temperature
 * response, each over 20, 50 and 100 years. None is the right one; the largest and the smallest differ by a factor of 38, so
 * every number names its metric.
 *
 * The temperature metrics use the responses in `response.ts`. The warming potential of CO2 is that of the chosen set, so
 * ratios between GWP and the others are inconsistent by the 1.1 to 1.3 % between `lee2021` and `joos2013`.
 */

import { JET_A1 } from '../fuel.ts';
import { ACCF_CO2 } from './accf.ts';
import {
  CO2E_HORIZONS,
  CO2E_SETS,
  CO2E_SURFACE_M2,
  type Co2eHorizon,
  type Co2eSet,
  DEFAULT_CO2E_SET,
  EFFECTIVE_OVER_RADIATIVE,
  YEAR_S,
} from './co2-equivalence.ts';
import {
  agtpCo2,
  decayWarming,
  decayWarmingIntegral,
  integratedAgtpCo2,
  pulseWarming,
  pulseWarmingIntegral,
} from './response.ts';

export const CO2E_METRICS = ['gwp', 'gtp', 'atr'] as const;
export type Co2eMetric = (typeof CO2E_METRICS)[number];
export type MetricName = `${Co2eMetric}${Co2eHorizon}`;

/** The nine metrics in their order. */
export const METRIC_NAMES: readonly MetricName[] = CO2E_METRICS.flatMap((metric) =>
  CO2E_HORIZONS.map((horizon) => `${metric}${horizon}` as const),
);

/** CO2 equivalent under each metric [kg]. */
export type MetricsBlock = Readonly<Record<MetricName, number>>;

/** How CO2 equivalents are formed. */
export interface Co2eOptions {
  readonly metric: Co2eMetric;
  /** Whether contrails count with the ratio of effective to radiative forcing. */
  readonly efficacy: boolean;
  /** Warming potentials of CO2. */
  readonly set: Co2eSet;
}

export const DEFAULT_CO2E: Co2eOptions = { metric: 'gwp', efficacy: true, set: DEFAULT_CO2E_SET };

/** Lifetime of methane [years]. */
export const METHANE_LIFETIME_YEARS = 12;

/** What a pulse and CO2 are weighed by. */
interface Weights {
  /** Of a forcing of 1 W m⁻² yr that ends at once. */
  readonly pulse: number;
  /** Of a forcing of 1 W m⁻² that decays with a time [years]. */
  readonly decay: (tau: number) => number;
  /** Of a kilogram of CO2. */
  readonly co2: (set: Co2eSet) => number;
}

const WEIGHTS = Object.fromEntries(
  CO2E_HORIZONS.flatMap((horizon): [MetricName, Weights][] => {
    const agtp = agtpCo2(horizon);
    const integratedAgtp = integratedAgtpCo2(horizon);
    return [
      [
        `gwp${horizon}`,
        {
          pulse: 1,
          decay: (tau) => tau * (1 - Math.exp(-horizon / tau)),
          co2: (set) => CO2E_SETS[set][horizon],
        },
      ],
      [
        `gtp${horizon}`,
        { pulse: pulseWarming(horizon), decay: (tau) => decayWarming(tau, horizon), co2: () => agtp },
      ],
      [
        `atr${horizon}`,
        {
          pulse: pulseWarmingIntegral(horizon),
          decay: (tau) => decayWarmingIntegral(tau, horizon),
          co2: () => integratedAgtp,
        },
      ],
    ];
  }),
) as Readonly<Record<MetricName, Weights>>;

/** CO2 equivalent [kg] of the energy forcing of contrails [J] under one metric. */
export function contrailCo2eKg(
  energyForcingJ: number,
  horizon: Co2eHorizon,
  { metric, efficacy, set }: Co2eOptions = DEFAULT_CO2E,
): number {
  const { pulse, co2 } = WEIGHTS[`${metric}${horizon}`];
  const effective = energyForcingJ * (efficacy ? EFFECTIVE_OVER_RADIATIVE : 1);
  return (effective * pulse) / (co2(set) * CO2E_SURFACE_M2 * YEAR_S);
}

/** CO2 equivalents of the energy forcing of contrails [J] under all metrics. */
export function contrailMetrics(
  energyForcingJ: number,
  { efficacy, set }: Omit<Co2eOptions, 'metric'> = DEFAULT_CO2E,
): MetricsBlock {
  return blockOf((_, metric, horizon) => contrailCo2eKg(energyForcingJ, horizon, { metric, efficacy, set }));
}

/**
 * CO2 equivalents of temperature responses by climate change functions [K, pulse, mean of 20 years]. Their kelvins differ in
 * scale from those of `response.ts` by about 2: the ratio to the function of CO2 is carried to other metrics by the time course
 * of the species. At ATR20 the result is that ratio.
 */
export function accfMetrics(
  shortLivedK: number,
  methaneK: number,
  set: Co2eSet = DEFAULT_CO2E_SET,
  methaneLifetimeYears = METHANE_LIFETIME_YEARS,
): MetricsBlock {
  const scale = (JET_A1.eiCo2 * integratedAgtpCo2(20)) / ACCF_CO2;
  const pulse = (shortLivedK * scale) / WEIGHTS.atr20.pulse;
  const decaying = (methaneK * scale) / WEIGHTS.atr20.decay(methaneLifetimeYears);
  return blockOf((name) => {
    const weights = WEIGHTS[name];
    return (pulse * weights.pulse + decaying * weights.decay(methaneLifetimeYears)) / weights.co2(set);
  });
}

/** The same mass under every metric: CO2 is its own equivalent. */
export function co2Metrics(kg: number): MetricsBlock {
  return blockOf(() => kg);
}

export function addMetrics(...blocks: readonly MetricsBlock[]): MetricsBlock {
  return blockOf((name) => blocks.reduce((sum, block) => sum + block[name], 0));
}

function blockOf(
  value: (name: MetricName, metric: Co2eMetric, horizon: Co2eHorizon) => number,
): MetricsBlock {
  return Object.fromEntries(
    CO2E_METRICS.flatMap((metric) =>
      CO2E_HORIZONS.map((horizon) => {
        const name = `${metric}${horizon}` as const;
        return [name, value(name, metric, horizon)];
      }),
    ),
  ) as MetricsBlock;
}
