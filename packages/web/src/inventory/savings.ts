/** What a plan would have saved of a flight. */
import type { components } from '@contrails/client';
import type { Metric } from '../shell/metric.ts';
import type { FlightRow } from './day-table.ts';

type Schemas = components['schemas'];
type Plan = Schemas['ProfilePlan'];

export interface Saving {
  readonly row: FlightRow;
  /** What another profile would have saved of CO2 and contrails by the metric of the plan [kg]; undefined where it cannot be said. */
  readonly co2eKg: number | undefined;
  readonly fuelKg: number | undefined;
  readonly text: string;
}

export function savingOf(
  row: FlightRow,
  plan: Plan | Schemas['RefusedPlan'] | undefined,
  { metric, horizon }: Metric,
): Saving {
  if (plan === undefined || 'problem' in plan) {
    const text = plan === undefined ? 'The service returned no plan.' : plan.problem.detail;
    return { row, co2eKg: undefined, fuelKg: undefined, text };
  }
  const { figures, levels } = proposalOf(plan);
  const delta = figures?.delta;
  const co2eKg = delta?.[`total_co2e_${metric}${horizon}_kg`];
  if (co2eKg == null) {
    return { row, co2eKg: 0, fuelKg: 0, text: 'No other level is better.' };
  }
  const text = levels.map((level) => `FL${level}`).join(', then ');
  return { row, co2eKg: -co2eKg, fuelKg: delta?.fuel_kg ?? undefined, text };
}

function proposalOf({ chosen, alternatives, rows }: Plan): {
  readonly figures: Schemas['PlanFigures'] | undefined;
  readonly levels: readonly number[];
} {
  if (chosen?.kind === 'profile') {
    const found = alternatives.find(({ changes }) => changes === chosen.changes);
    return { figures: found?.verified, levels: found?.levels.map(({ flight_level }) => flight_level) ?? [] };
  }
  if (chosen?.kind !== 'level') return { figures: undefined, levels: [] };
  const figures = rows.find((row) => row.kind === 'level' && row.flight_level === chosen.flight_level);
  return { figures, levels: chosen.flight_level === null ? [] : [chosen.flight_level] };
}
