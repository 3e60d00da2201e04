import type { Database } from '@contrails/platform/database';
import type { FamilyMetric } from '@contrails/platform/family';
import { readRow } from './published.ts';

/** Cycles are of all processes together, clients of this one. */
export function liveMetrics(database: Database): FamilyMetric[] {
  const board = async () => (await import('./board.ts')).knownBoard(database);
  return [
    {
      name: 'contrails_live_aircraft',
      help: 'Aircraft whose reports this process keeps.',
      read: async () => (await board())?.state.tracks.size ?? 0,
    },
    {
      name: 'contrails_live_report_bytes',
      help: 'Memory that the reports of these aircraft take in this process.',
      read: async () => (await board())?.state.tracks.bytes ?? 0,
    },
    {
      name: 'contrails_live_evicted_aircraft',
      help: 'Aircraft that this process left out since its start because memory was short.',
      read: async () => (await board())?.state.tracks.evicted ?? 0,
    },
    {
      name: 'contrails_live_cycle_seconds',
      help: 'How long the newest cycle took.',
      read: async () => ((await readRow(database))?.took_ms ?? 0) / 1000,
    },
    {
      name: 'contrails_live_cycle_time_seconds',
      help: 'Time of the newest cycle, in seconds since 1970; 0 without any.',
      read: async () => ((await readRow(database))?.time_ms ?? 0) / 1000,
    },
    {
      name: 'contrails_live_clients',
      help: 'Clients that follow the stream of this process.',
      read: async () => (await board())?.hub.clients ?? 0,
    },
    {
      name: 'contrails_live_dropped_updates',
      help: 'Updates that were dropped since the start because a client reads slowly.',
      read: async () => (await board())?.hub.dropped ?? 0,
    },
  ];
}
