/** The flights of a day from telemetry: one share of the airframes. */
import {
  type AirframeReports,
  buildFlights,
  TELEMETRY_COLUMNS,
  type TelemetryColumns,
} from '@contrails/flights';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { CancelledError } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { type AircraftRows, readAircraftRows } from '../../telemetry/index.ts';
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
    for (const built of buildFlights(withGround(rows), { isStrict }).flights) {
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

/** The reports of an airframe, with those from the ground among them. */
function withGround({ columns, work, groundMs }: AircraftRows): AirframeReports {
  const airborne = columns.timestamp.length;
  const count = airborne + groundMs.length;
  if (groundMs.length === 0) return { ...columns, legFlag: work.legFlag };
  const address = columns.icao_address[0] ?? '';
  const extended = TELEMETRY_COLUMNS.map((name) => {
    const column = columns[name];
    if (!(column instanceof Float64Array)) {
      const filler = name === 'icao_address' ? address : name === 'collection_type' ? 'terrestrial' : null;
      return [name, [...column, ...new Array<string | null>(groundMs.length).fill(filler)]];
    }
    const longer = new Float64Array(count).fill(Number.NaN);
    longer.set(column);
    if (name === 'timestamp') longer.set(groundMs, airborne);
    return [name, longer];
  });
  const onGround = new Uint8Array(count);
  onGround.fill(1, airborne);
  const legFlag = new Uint8Array(count);
  legFlag.set(work.legFlag);
  // The same names with columns of the same kinds.
  return { ...(Object.fromEntries(extended) as TelemetryColumns), onGround, legFlag };
}
