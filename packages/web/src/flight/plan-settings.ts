/** What a plan weighs: prices, the metric of the app and the rule for cooling contrails, and how a link spells them. */
import { DEFAULT_METRIC, type Metric, metricOf, metricText } from '../shell/metric.ts';

export const COOLING_RULES = ['ignore', 'credit', 'avoid'] as const;

export interface PlanSettings extends Metric {
  /** Of a kilogram of fuel, in any currency. */
  readonly fuelPrice: number;
  /** Price of a minute [kg of fuel]. */
  readonly costIndex: number;
  /** Of a tonne of CO2 or CO2e. */
  readonly carbonPrice: number;
  readonly cooling: (typeof COOLING_RULES)[number];
}

/** Those of the service. */
export const DEFAULT_SETTINGS: PlanSettings = {
  fuelPrice: 0.8,
  costIndex: 30,
  carbonPrice: 50,
  ...DEFAULT_METRIC,
  cooling: 'ignore',
};

/** Parameter in the link, parameter of the service, and the largest value that it accepts. */
export const PRICES = {
  fuelPrice: { link: 'fuel_price', max: 100, label: 'Fuel, per kg' },
  costIndex: { link: 'cost_index', max: 1000, label: 'Time, kg of fuel per minute' },
  carbonPrice: { link: 'carbon_price', max: 100_000, label: 'CO₂e, per tonne' },
} as const;

export const COOLING_NAMES: Readonly<Record<PlanSettings['cooling'], string>> = {
  ignore: 'count nothing',
  credit: 'count as a saving',
  avoid: 'count as if they warmed',
};

/** How many times the models are run with other parameters and humidity. */
export const SAMPLES = 50;

/** The parameters of the service, by the names that links and the command line use too. */
export function planQuery(settings: PlanSettings) {
  return {
    fuel_price: settings.fuelPrice,
    cost_index: settings.costIndex,
    carbon_price: settings.carbonPrice,
    horizon: settings.horizon,
    co2e_metric: settings.metric,
    efficacy: settings.efficacy,
    cooling: settings.cooling,
  };
}

/** What a link has that is not valid is left at its default. */
export function parseSettings(parameters: URLSearchParams): PlanSettings {
  const price = (name: keyof typeof PRICES) => {
    const text = parameters.get(PRICES[name].link);
    const value = Number(text);
    const isValid = text !== null && text.trim() !== '' && value >= 0 && value <= PRICES[name].max;
    return isValid ? value : DEFAULT_SETTINGS[name];
  };
  const oneOf = <T>(name: string, values: readonly T[], fallback: T) =>
    values.find((value) => String(value) === parameters.get(name)) ?? fallback;
  return {
    fuelPrice: price('fuelPrice'),
    costIndex: price('costIndex'),
    carbonPrice: price('carbonPrice'),
    ...metricOf(parameters, DEFAULT_METRIC),
    cooling: oneOf('cooling', COOLING_RULES, DEFAULT_SETTINGS.cooling),
  };
}

/** Only what differs from the defaults. */
export function changedSettings(settings: PlanSettings): [name: string, value: string][] {
  const defaults = Object.entries(planQuery(DEFAULT_SETTINGS));
  return Object.entries(planQuery(settings)).flatMap(([name, value], k) =>
    value === defaults[k]?.[1] ? [] : [[name, String(value)] as [string, string]],
  );
}

/** The command that gives the same numbers. */
export function planCommand(settings: PlanSettings): string {
  const flags = changedSettings(settings).map(([name, value]) => `--${name.replaceAll('_', '-')} ${value}`);
  return ['contrails plan profile FLIGHT', `--uncertainty ${SAMPLES}`, ...flags].join(' ');
}

/** What "best" means under these settings, in one sentence. */
export function bestMeans(settings: PlanSettings): string {
  const { fuelPrice, costIndex, carbonPrice, cooling } = settings;
  return `Best is the lowest cost: fuel at ${fuelPrice} per kg, a minute at ${costIndex} kg of fuel, CO₂ and CO₂e (${metricText(settings)}) at ${carbonPrice} per tonne. Contrails that cool ${COOLING_NAMES[cooling]}.`;
}
