import { isoHour } from '@contrails/runtime';
import type { JobRecord } from './jobs.ts';

/** What a job is about, since those of one kind look alike; empty where the kind is enough. */
export function subjectOf({ kind, payload }: Pick<JobRecord, 'kind' | 'payload'>): string {
  const given = payload as Partial<Record<string, unknown>> | null;
  if (kind === 'trajectory') return String(given?.model ?? '');
  if (kind === 'grid.cocip') return String(given?.url ?? '');
  if (kind !== 'forecast.part') return '';
  const { validTimeMs, aircraftClass, type, flightLevels } = given ?? {};
  const hour = typeof validTimeMs === 'number' ? `${isoHour(validTimeMs)}Z` : '';
  const levels = Array.isArray(flightLevels) ? `FL${flightLevels[0]}-${flightLevels.at(-1)}` : '';
  return [hour, aircraftClass ?? type, levels].filter(Boolean).join(' ');
}
