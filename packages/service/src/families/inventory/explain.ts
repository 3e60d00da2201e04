/** What the inventory makes of the legs of an airframe: as it is published, or as far as it is known before. */

import { type AirframeTable, resolveAircraft } from '@contrails/engine/inventory/aircraft';
import { dateOfLeg, exclusionsOf, type LegPolicy, legRecord } from '@contrails/engine/inventory/leg-record';
import { readParquet } from '@contrails/engine/inventory/parquet';
import type { BuiltFlight } from '@contrails/flights';
import { LEG_COLUMNS } from '@contrails/flights/inventory';
import { sqlText } from '@contrails/formats';
import { localCopy, withWorkspace } from '@contrails/platform/workspace';
import { loadAirframes } from '../../inventory-store/airframes.ts';
import type { InventorySettings } from '../../inventory-store/config.ts';
import { readRunManifest } from '../../inventory-store/manifest.ts';
import type { Services } from '../../services.ts';
import { findDate } from './run/state.ts';

/** The end of a leg in the inventory. */
export interface LegFate {
  /** The date of the inventory that the leg belongs to. */
  readonly date: string;
  /** The run that has the leg; null where none is served that does. */
  readonly run_id: string | null;
  /** As in the run; without one, what the reports, the configuration and the airframe table decide. */
  readonly outcome: string;
  readonly detail: string | null;
  /** What the date waits for, or whether it is final. */
  readonly message: string;
}

type ExplainServices = Pick<Services, 'database' | 'store'>;

const MEMORY_MIB = 128;

/** Returns the fate of each leg, in their order. */
export async function explainLegs(
  services: ExplainServices,
  settings: InventorySettings,
  legs: readonly BuiltFlight[],
): Promise<LegFate[]> {
  const airframes = await loadAirframes(services.database);
  const policy = { ...exclusionsOf(settings), completeUntilMs: Number.POSITIVE_INFINITY };
  const published = new Map<string, readonly PublishedLeg[]>();
  const fates: LegFate[] = [];
  for (const leg of legs) {
    const date = dateOfLeg(leg);
    const known = published.get(date) ?? (await publishedLegs(services, date, leg.icaoAddress));
    published.set(date, known);
    const state = await findDate(services.database, date);
    const message = state?.message ?? `the inventory does not know ${date} yet`;
    const found = known.find(({ firstMs, lastMs }) => firstMs <= leg.lastMs && lastMs >= leg.firstMs);
    fates.push({
      date,
      message,
      ...(found === undefined
        ? { run_id: null, ...expectedOutcome(leg, policy, airframes) }
        : { run_id: found.runId, outcome: found.outcome, detail: found.detail }),
    });
  }
  return fates;
}

interface PublishedLeg {
  readonly runId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly outcome: string;
  readonly detail: string | null;
}

async function publishedLegs(
  { store }: ExplainServices,
  date: string,
  address: string,
): Promise<PublishedLeg[]> {
  const manifest = await readRunManifest(store, date);
  if (manifest === undefined) return [];
  return withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
    const path = await localCopy(store, manifest.legs.key, directory);
    const rows = await duckdb.rows(
      `SELECT epoch_ms(first_time)::DOUBLE AS first_ms, epoch_ms(last_time)::DOUBLE AS last_ms, outcome, detail
       FROM ${readParquet([path], LEG_COLUMNS)} WHERE icao_address = ${sqlText(address)} ORDER BY first_time`,
    );
    return rows.map(({ first_ms, last_ms, outcome, detail }) => ({
      runId: manifest.run_id,
      firstMs: Number(first_ms),
      lastMs: Number(last_ms),
      outcome: String(outcome),
      detail: detail == null ? null : String(detail),
    }));
  });
}

/** What is certain of a leg before the models run. */
function expectedOutcome(
  leg: BuiltFlight,
  policy: LegPolicy,
  airframes: AirframeTable,
): Pick<LegFate, 'outcome' | 'detail'> {
  const { flight, row } = legRecord(leg, policy);
  if (flight === null) return { outcome: row.outcome, detail: row.detail };
  const aircraft = resolveAircraft(flight, airframes);
  return 'code' in aircraft
    ? { outcome: aircraft.code, detail: aircraft.detail }
    : { outcome: row.outcome, detail: null };
}
