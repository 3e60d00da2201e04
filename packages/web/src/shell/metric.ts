/** The metric that CO2 equivalents are shown by: one for the whole app, which every link carries. */
import { CO2E_METRICS, type Co2eMetric, contrailCo2eKg, DEFAULT_CO2E } from '@contrails/physics/climate';
import { useEffect, useState } from 'preact/hooks';

export const HORIZONS = [20, 50, 100] as const;
export type Horizon = (typeof HORIZONS)[number];
export const METRICS = CO2E_METRICS;

export interface Metric {
  readonly metric: Co2eMetric;
  /** [years] */
  readonly horizon: Horizon;
  /** Whether contrails count with the ratio of effective to radiative forcing. */
  readonly efficacy: boolean;
}

export const DEFAULT_METRIC: Metric = { metric: 'gwp', horizon: 100, efficacy: true };

/** Parameters of links, which are those of the service too. */
const NAMES = ['co2e_metric', 'horizon', 'efficacy'] as const;

let current = DEFAULT_METRIC;
const listeners = new Set<() => void>();

/** What a link has that is not valid, or does not name, stays as it is. */
export function metricOf(parameters: URLSearchParams, before: Metric): Metric {
  const [metric, horizon, efficacy] = NAMES.map((name) => parameters.get(name));
  return {
    metric: METRICS.find((one) => one === metric) ?? before.metric,
    horizon: HORIZONS.find((one) => String(one) === horizon) ?? before.horizon,
    efficacy: efficacy === 'true' || (efficacy !== 'false' && before.efficacy),
  };
}

/** The parameters with the metric where it is not the default. */
export function withMetric(
  parameters: URLSearchParams,
  { metric, horizon, efficacy } = current,
): URLSearchParams {
  const all = new URLSearchParams(parameters);
  for (const name of NAMES) all.delete(name);
  if (metric !== DEFAULT_METRIC.metric) all.set('co2e_metric', metric);
  if (horizon !== DEFAULT_METRIC.horizon) all.set('horizon', String(horizon));
  if (!efficacy) all.set('efficacy', 'false');
  return all;
}

export function setMetric(metric: Metric): void {
  const isSame = Object.entries(metric).every(([name, value]) => current[name as keyof Metric] === value);
  if (isSame) return;
  current = metric;
  for (const listener of listeners) listener();
}

/** A link that is opened decides, as far as it names the metric. */
export function followMetric(parameters: URLSearchParams): void {
  setMetric(metricOf(parameters, current));
}

export function useMetric(): Metric {
  const [metric, setOwn] = useState(current);
  useEffect(() => {
    const follow = () => setOwn(current);
    follow();
    listeners.add(follow);
    return () => void listeners.delete(follow);
  }, []);
  return metric;
}

/** `GWP100` */
export const metricLabel = ({ metric, horizon }: Pick<Metric, 'metric' | 'horizon'>): string =>
  `${metric.toUpperCase()}${horizon}`;

/** `GWP, 100 years`, and that efficacy does not count. */
export function metricText({ metric, horizon, efficacy }: Metric): string {
  return `${metric.toUpperCase()}, ${horizon} years${efficacy ? '' : ', without efficacy'}`;
}

/** Contrails as the service returns them. */
interface ContrailFigures {
  /** [J] */
  readonly energyForcing: number;
  /** GWP with efficacy [kg], of the set that the service is configured with. */
  readonly gwpKg: Readonly<Record<Horizon, number>>;
}

/** CO2 equivalent of contrails [kg]: all metrics are proportional to the energy forcing. */
export function contrailCo2e(
  { energyForcing, gwpKg }: ContrailFigures,
  { metric, horizon, efficacy }: Metric,
): number {
  if (metric !== 'gwp') return contrailCo2eKg(energyForcing, horizon, { ...DEFAULT_CO2E, metric, efficacy });
  return efficacy ? gwpKg[horizon] : gwpKg[horizon] / EFFICACY;
}

/** The same for all horizons and sets. */
const EFFICACY = contrailCo2eKg(1, 100) / contrailCo2eKg(1, 100, { ...DEFAULT_CO2E, efficacy: false });
