/** What other levels would have done, from the planning endpoint of the service. */
import type { components } from '@contrails/client';
import { massText } from '../text.ts';

type Schemas = components['schemas'];
type Plan = Schemas['ProfilePlan'];
type Row = Schemas['PlanFigures'];
type Track = Schemas['PlanTrack'] | null | undefined;

interface Interval {
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
}

/** A level of the table. */
export interface PlanRow {
  readonly name: string;
  readonly kind: 'flown' | 'level';
  readonly isBest: boolean;
  readonly isPossible: boolean;
  /** Relative to the flight [%]. */
  readonly fuelPercent: number | null;
  readonly contrailKm: number | null;
  /** Contrails and CO2 over 100 years, relative to the flight [kg]. */
  readonly co2eKg: number | null;
  readonly interval: Interval | undefined;
  readonly probability: number | undefined;
}

export interface PlanPoint {
  readonly timeMs: number;
  readonly altitudeFt: number;
}

export interface FlightPlan {
  readonly rows: readonly PlanRow[];
  readonly sentence: string;
  readonly isChange: boolean;
  /** The profile that is best under the prices, verified; empty where it is the flight itself. */
  readonly proposal: readonly PlanPoint[];
  readonly notes: readonly string[];
}

export function flightPlan(answer: Plan, samples: number): FlightPlan {
  const { rows, best, warnings, notes = [] } = answer;
  const flown = rows.find(({ kind }) => kind === 'baseline');
  const proposed = proposedRow(answer);
  const isChange = answer.recommendation.change;
  return {
    rows: rows.map((row, k) => planRow(row, flown, k === best)),
    sentence: sentenceOf(answer, flown, proposed, samples),
    isChange,
    proposal: proposed === undefined || proposed.row === flown ? [] : pointsOf(proposed.waypoints),
    notes: [...notes, ...warnings].map(asSentence),
  };
}

function planRow(row: Row, flown: Row | undefined, isBest: boolean): PlanRow {
  const { delta, uncertainty } = row;
  return {
    name: row.flight_level === null ? 'As flown' : `FL${row.flight_level}`,
    kind: row.kind === 'baseline' ? 'flown' : 'level',
    isBest,
    isPossible: row.status === 'ok',
    fuelPercent: fuelPercent(row, flown),
    contrailKm: row.persistent_km,
    co2eKg: delta?.total_co2e_gwp100_kg ?? null,
    interval: intervalOf(uncertainty?.delta_total_co2e_gwp100),
    probability: uncertainty?.probability_better ?? undefined,
  };
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
  baseline_is_best: 'No other level is better for this flight.',
  weather_too_short: 'The weather ends before the contrails do, so no change is recommended.',
  no_feasible_profile: 'No profile keeps all limits.',
};

function sentenceOf(
  { recommendation }: Plan,
  flown: Row | undefined,
  proposed: Proposed | undefined,
  samples: number,
): string {
  const { change, reason, probability_better } = recommendation;
  const known = REASONS[String(reason)];
  if (known !== undefined || proposed === undefined) return known ?? 'No change is recommended.';
  const { delta } = proposed.row;
  const percent = fuelPercent(proposed.row, flown) ?? 0;
  const saved = -(delta?.total_co2e_gwp100_kg ?? 0);
  const what = [
    `${saved >= 0 ? 'saves' : 'adds'} ${massText(Math.abs(saved))} CO₂e over 100 years`,
    `for ${signed(percent, 1)} % fuel and ${signed((delta?.flight_time_s ?? 0) / 60, 0)} min`,
  ].join(' ');
  const levels = proposed.levels.map((level) => `FL${level}`).join(', then ');
  const share =
    probability_better === null
      ? ''
      : `: better in ${Math.round(100 * probability_better)} % of ${samples} samples`;
  return change
    ? `${levels} ${what}${share}.`
    : `${levels} ${what}, but this is too uncertain to recommend${share}.`;
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
