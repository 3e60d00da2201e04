import type { BoundingBox } from '@contrails/engine/grid/layout';
import { duration, durationMs } from '@contrails/platform/config/duration';
import { HOUR_MS } from '@contrails/runtime';
import { type Static, Type } from 'typebox';
import { boxOf, boxSetting } from '../../config/box.ts';
import type { CoreConfig } from '../../config/core.ts';

export const liveSection = Type.Object(
  {
    enabled: Type.Boolean({
      description:
        'Follows the aircraft that feeds of the kinds `poll`, `push` and `synthetic` report, and the contrails they leave. The demo turns it on.',
      default: false,
    }),
    hours: Type.Integer({
      description: 'How many hours of reports are kept in memory; older parts of a flight do not count.',
      default: 4,
      minimum: 1,
      maximum: 24,
    }),
    bbox: boxSetting(
      'West, south, east and north in degrees: aircraft outside are not followed. The weather of the box, 10° beyond it and 13 h ahead, should fit into three quarters of `met.memory_mib`, or it is read again in every cycle.',
    ),
    interval: duration('Time between two computations of all contrails.', '60s'),
    stale_after: duration('An aircraft without a report for so long counts as stale.', '5min'),
    memory_mib: Type.Integer({
      description:
        'Memory for reports, in MiB; beyond it the aircraft that were not seen for longest are left out.',
      default: 512,
      minimum: 16,
      maximum: 1_048_576,
    }),
    max_clients: Type.Integer({
      description: 'How many clients may follow `/v1/live/stream` of one server at a time.',
      default: 200,
      minimum: 1,
      maximum: 10_000,
    }),
  },
  { description: 'Live contrails; see [live](live.md).' },
);

export type LiveConfig = CoreConfig & { readonly live: Static<typeof liveSection> };

/** Settings in the units that the code works with. */
export interface LiveRules {
  readonly isEnabled: boolean;
  readonly windowMs: number;
  /** Where aircraft are followed; everywhere without it. */
  readonly box: BoundingBox | undefined;
  readonly intervalMs: number;
  readonly staleAfterMs: number;
  readonly memoryBytes: number;
  readonly maxClients: number;
}

export function liveRules({ live }: Pick<LiveConfig, 'live'>): LiveRules {
  return {
    isEnabled: live.enabled,
    windowMs: live.hours * HOUR_MS,
    box: live.bbox && boxOf('live.bbox', live.bbox),
    intervalMs: durationMs(live.interval),
    staleAfterMs: durationMs(live.stale_after),
    memoryBytes: live.memory_mib * 2 ** 20,
    maxClients: live.max_clients,
  };
}
