/** The flights of a day from telemetry: one share of the airframes. */
import { buildFlights } from '@contrails/flights';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { CancelledError } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { type AircraftRows, airframeReports, readAircraftRows } from '../../telemetry/index.ts';
import type { Workspace } from '../../telemetry/local-files.ts';
import { LegWriter } from './flights-file.ts';
import { dateOfLeg, type LegPolicy, legRecord } from './leg-record.ts';

/** Flights of a day begin on it and take 19 h at most; what came before it decides where its first flights begin. */
export function telemetryWindow(dayMs: number): { fromMs: number; toMs: number } {
  return { fromMs: dayMs - DAY_MS, toMs: dayMs + DAY_MS + 20 * HOUR_MS };
}

export interface ShardRequest {
  readonly date: string;
  readonly shard: number;
  readonly shards: number;
  readonly isStrict: boolean;
  readonly policy: LegPolicy;
  readonly memoryMiB: number;
}

export interface BuiltShard {
  readonly legs: string;
  readonly minutes: string;
  /** Which generation of each hour was read. */
  readonly generations: Readonly<Record<string, number>>;
  readonly counts: { readonly aircraft: number; readonly legs: number; readonly flights: number };
}

/** Only one airframe is in memory at a time; legs of other days are left to those. */
export async function buildShard(
  services: Pick<Services, 'store' | 'database'>,
  workspace: Workspace,
  { date, shard, shards, isStrict, policy, memoryMiB }: ShardRequest,
  signal: AbortSignal,
): Promise<BuiltShard> {
  const writer = await LegWriter.open(workspace, shards);
  let [aircraft, legs, flights] = [0, 0, 0];
  const use = async (rows: AircraftRows) => {
    if (signal.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    aircraft++;
    for (const built of buildFlights(airframeReports(rows), { isStrict }).flights) {
      if (dateOfLeg(built) !== date) continue;
      const record = legRecord(built, policy);
      legs++;
      if (record.flight !== null) flights++;
      await writer.add(record);
    }
  };
  const window = telemetryWindow(Date.parse(date));
  const generations = await readAircraftRows(
    services,
    { ...window, shard: { index: shard, count: shards }, memoryMiB },
    use,
  );
  return { ...(await writer.finish()), generations, counts: { aircraft, legs, flights } };
}
