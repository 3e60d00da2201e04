/** Has the service plan flights again, as one job. */
import type { PlannedProfileFlight } from '@contrails/client';
import { service } from '../service.ts';
import type { Metric } from '../shell/metric.ts';
import type { FlightRow } from './day-table.ts';
import { type Saving, savingOf } from './savings.ts';

export async function computeSavings(
  rows: readonly FlightRow[],
  metric: Metric,
  options: { readonly signal: AbortSignal; readonly onProgress: (fraction: number) => void },
): Promise<readonly Saving[]> {
  const { signal, onProgress } = options;
  const bodies: PlannedProfileFlight[] = [];
  for (const row of rows) {
    const date = new Date(row.startMs).toISOString().slice(0, 10);
    const body = await service.inventory.flight({ date, flight_id: row.id }, { signal });
    bodies.push(body as PlannedProfileFlight);
  }
  // The endpoint takes a list as well.
  const answer = await service.planning.profile(bodies as unknown as PlannedProfileFlight, {
    co2e_metric: metric.metric,
    horizon: metric.horizon,
    efficacy: metric.efficacy,
    background: true,
    signal,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  const plans = 'flights' in answer ? answer.flights : [answer];
  return rows.map((row, k) => savingOf(row, plans[k], metric));
}
