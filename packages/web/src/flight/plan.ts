/** What other levels would have done, from the planning endpoint of the service. */
import type { components } from '@contrails/client';
import { metricText } from '../shell/metric.ts';
import { massText } from '../text.ts';
import { type PlanSettings, SAMPLES } from './plan-settings.ts';

type Schemas = components['schemas'];
type Plan = Schemas['ProfilePlan'];
type Row = Schemas['PlanFigures'];
type Track = Schemas['PlanTrack'] | null | undefined;

interface Interval {
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
}

/** A level of the table, or the proposed sequence of levels. */
export interface PlanRow {
  readonly name: string;
  readonly kind: 'flown' | 'level' | 'profile';
  /** Whether the plan chose it: it costs least of all that can be flown. */
  readonly isBest: boolean;
  readonly isPossible: boolean;
  /** Relative to the flight [%]. */
  readonly fuelPercent: number | null;
  readonly contrailKm: number | null;
  /** Contrails and CO2 by the metric and horizon of the settings, relative to the flight [kg]. */
  readonly co2eKg: number | null;
  readonly interval: Interval | undefined;
  /** Relative to the flight, in the currency of the prices. */
  readonly cost: number | null;
  readonly probability: number | undefined;
  /** Why it cannot be flown, or is not chosen although it saves more CO2e. */
  readonly remark: string | undefined;
}

export interface PlanPoint {
  readonly timeMs: number;
  readonly altitudeFt: number;
}

export interface FlightPlan {
  readonly settings: PlanSettings;
  readonly rows: readonly PlanRow[];
  readonly sentence: string;
  /** Under how many of nine metrics the proposal is better; not where the flight itself is the best. */
  readonly verdict: string | undefined;
  readonly isChange: boolean;
  /** The profile that is best under the prices, verified; empty where it is the flight itself. */
  readonly proposal: readonly PlanPoint[];
  readonly notes: readonly string[];
}

export function flightPlan(answer: Plan, settings: PlanSettings): FlightPlan {
  const { rows, warnings, notes = [] } = answer;
  const flown = rows.find(({ kind }) => kind === 'baseline');
  const proposed = proposedRow(answer);
  const best = proposed?.row;
  const profile = best?.kind === 'profile' ? [best] : [];
  return {
    settings,
    rows: [...rows.slice(0, 1), ...profile, ...rows.slice(1)].map((row) => ({
      ...figuresOf(row, flown, settings),
      name: row === best && profile.length > 0 ? `FL${proposed?.levels.join(' → ')}` : nameOf(row),
      isBest: row === best,
      remark: remarkOn(row, best, settings),
    })),
    sentence: sentenceOf(answer, flown, proposed, settings),
    verdict: verdictOf(answer.recommendation.metrics),
    isChange: answer.recommendation.change,
    proposal: proposed === undefined || best === flown ? [] : pointsOf(proposed.waypoints),
    notes: [...notes, ...warnings].map(asSentence),
  };
}

function nameOf({ flight_level }: Row): string {
  return flight_level === null ? 'As flown' : `FL${flight_level}`;
}

function figuresOf(row: Row, flown: Row | undefined, settings: PlanSettings) {
  const { uncertainty } = row;
  const kind = row.kind === 'baseline' ? 'flown' : row.kind === 'profile' ? 'profile' : 'level';
  return {
    kind,
    isPossible: row.status === 'ok',
    fuelPercent: fuelPercent(row, flown),
    contrailKm: row.persistent_km,
    co2eKg: co2eOf(row, settings),
    interval: intervalOf(uncertainty?.[`delta_total_co2e_${settings.metric}${settings.horizon}`]),
    cost: row.delta?.cost ?? null,
    probability: uncertainty?.probability_better ?? undefined,
  } as const;
}

/** Net CO2e against the flight [kg], however cooling counts in the cost. */
function co2eOf({ delta }: Row, { metric, horizon }: PlanSettings): number | null {
  return delta?.[`total_co2e_${metric}${horizon}_kg`] ?? null;
}

/** CO2e that the cost counts, against the flight [kg]: the rest of the cost after fuel and time. */
function paidCo2e({ delta }: Row, { fuelPrice, costIndex, carbonPrice }: PlanSettings): number | undefined {
  if (delta?.cost == null || delta.fuel_kg === null || delta.flight_time_s === null || carbonPrice === 0)
    return undefined;
  const flying = fuelPrice * (delta.fuel_kg + costIndex * (delta.flight_time_s / 60));
  return (1000 * (delta.cost - flying)) / carbonPrice;
}

/** Differences below it are rounding [kg]. */
const SAME_KG = 1;

function remarkOn(row: Row, best: Row | undefined, settings: PlanSettings): string | undefined {
  if (row.status !== 'ok') return limitText(row);
  if (row === best || best === undefined) return undefined;
  const [own, chosen] = [co2eOf(row, settings) ?? 0, co2eOf(best, settings) ?? 0];
  if (own >= chosen - SAME_KG) return undefined;
  const [paid, paidByBest] = [paidCo2e(row, settings), paidCo2e(best, settings) ?? 0];
  const isCooling = paid !== undefined && paid >= paidByBest - SAME_KG && settings.cooling !== 'credit';
  const more = (row.delta?.cost ?? 0) - (best.delta?.cost ?? 0);
  if (isCooling) {
    const rule = settings.cooling === 'ignore' ? 'counts nothing' : 'counts as warming';
    return `saves more CO₂e only because its contrails cool, which ${rule}`;
  }
  return `saves more CO₂e, but costs ${costText(more)} more in fuel and time`;
}

/** Which limit a row breaks, and on how much of its way. */
function limitText({ status, limits }: Row): string {
  const share = (value: number) => `${Math.max(Math.round(100 * value), 1)} % of the way`;
  if (status === 'outside_weather')
    return `weather is known for ${Math.floor(100 * limits.weather_share)} % of the way only`;
  const broken = [
    ...(limits.ceiling ? [] : ['above the ceiling of the type']),
    ...(limits.lift_share > 0 ? [`too heavy, near buffet on ${share(limits.lift_share)}`] : []),
    ...(limits.thrust_share > 0 ? [`too little thrust on ${share(limits.thrust_share)}`] : []),
  ];
  return `cannot be flown: ${broken.join(', ') || 'beyond a limit'}`;
}

/** Fuel of a row relative to the flight [%]. */
function fuelPercent({ delta }: Row, flown: Row | undefined): number | null {
  if (delta?.fuel_kg == null || flown?.fuel_kg == null) return null;
  return (100 * delta.fuel_kg) / flown.fuel_kg;
}

function intervalOf(statistics: Schemas['SampleStatistics'] | null | undefined): Interval | undefined {
  const { q05, q50, q95 } = statistics ?? {};
  return q05 == null || q50 == null || q95 == null ? undefined : { q05, q50, q95 };
}

interface Proposed {
  readonly row: Row;
  readonly levels: readonly number[];
  readonly waypoints: Track;
}

/** The chosen candidate: the flight, a level or a profile with changes. */
function proposedRow({ rows, alternatives, chosen }: Plan): Proposed | undefined {
  const { kind, flight_level, changes } = chosen ?? {};
  if (kind === 'profile') {
    const found = alternatives.find((one) => one.changes === changes);
    if (found === undefined) return undefined;
    const levels = found.levels.map((one) => one.flight_level);
    return { row: found.verified, levels, waypoints: found.waypoints };
  }
  const row =
    kind === 'level'
      ? rows.find((one) => one.kind === 'level' && one.flight_level === flight_level)
      : rows.find((one) => one.kind === 'baseline');
  const level = row?.flight_level;
  return row && { row, levels: level == null ? [] : [level], waypoints: row.waypoints };
}

const REASONS: Readonly<Record<string, string>> = {
  baseline_is_best: 'No other level costs less for this flight.',
  weather_too_short: 'The weather ends before the contrails do, so no change is recommended.',
  no_feasible_profile: 'No profile keeps all limits.',
};

function sentenceOf(
  { recommendation }: Plan,
  flown: Row | undefined,
  proposed: Proposed | undefined,
  settings: PlanSettings,
): string {
  const { change, reason, probability_better } = recommendation;
  const known = REASONS[String(reason)];
  if (known !== undefined || proposed === undefined) return known ?? 'No change is recommended.';
  const { delta } = proposed.row;
  const percent = fuelPercent(proposed.row, flown) ?? 0;
  const saved = -(co2eOf(proposed.row, settings) ?? 0);
  const what = [
    `${saved >= 0 ? 'saves' : 'adds'} ${massText(Math.abs(saved))} CO₂e (${metricText(settings)})`,
    `for ${signed(percent, 1)} % fuel and ${signed((delta?.flight_time_s ?? 0) / 60, 0)} min`,
  ].join(' ');
  const levels = levelsText(proposed.levels);
  const share =
    probability_better === null
      ? ''
      : `: cheaper in ${Math.round(100 * probability_better)} % of ${SAMPLES} samples`;
  return change
    ? `${levels} ${what}${share}.`
    : `${levels} ${what}, but this is too uncertain to recommend${share}.`;
}

function verdictOf(metrics: Plan['recommendation']['metrics']): string | undefined {
  if (metrics == null) return undefined;
  const worse = Object.entries(metrics.delta_co2e_kg).flatMap(([name, kg]) =>
    (kg ?? 0) < 0 ? [] : name.toUpperCase(),
  );
  const named = worse.length === 0 ? '' : ` Worse: ${worse.join(', ')}.`;
  return `Better under ${metrics.better} of ${metrics.of} metrics.${named}`;
}

function levelsText(levels: readonly number[]): string {
  return levels.map((level) => `FL${level}`).join(', then ');
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

function pointsOf(waypoints: Track): PlanPoint[] {
  const { time = [], altitude = [] } = waypoints ?? {};
  return time.map((text, k) => ({ timeMs: Date.parse(text), altitudeFt: altitude[k] ?? Number.NaN }));
}

/** With its sign, also of zero. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`;
}

function costText(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
