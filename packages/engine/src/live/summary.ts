/** What is in the sky, in a few numbers. */
import { EARTH_RADIUS_M } from '@contrails/physics/common';
import { isoSecond } from '@contrails/runtime';
import type { ChosenRun } from '../flights/plan-weather.ts';
import type { ContrailSums } from './contrail-runs.ts';
import type { FlightFeature } from './flight-features.ts';

export interface LiveSummary {
  readonly time: string;
  readonly aircraft: number;
  readonly airborne: number;
  /** Aircraft that leave a contrail which lasts, now. */
  readonly forming_persistent: number;
  readonly living_contrail_km: number;
  readonly cover_km2: number;
  readonly net_forcing_w: number;
  readonly net_forcing_mw_per_m2: number;
  readonly energy_forcing_last_hour_j: number;
  readonly largest: readonly LargestFlight[];
  readonly newest_report: string | null;
  /** Airframes that were left out because memory is short. */
  readonly evicted_aircraft: number;
  readonly weather: { readonly source: string; readonly forecast_time: string | null } | null;
}

export interface LargestFlight {
  readonly id: string;
  readonly callsign: string | null;
  readonly energy_forcing_so_far_j: number;
  readonly energy_forcing_j: number | null;
}

interface SummaryFacts {
  readonly nowMs: number;
  readonly run: ChosenRun | undefined;
  readonly lastHourJ: number;
  readonly evicted: number;
}

const LARGEST = 10;
const GLOBE_M2 = 4 * Math.PI * EARTH_RADIUS_M ** 2;

export function summaryOf(
  flights: readonly FlightFeature[],
  { lengthM, coverM2, netForcingW }: ContrailSums,
  { nowMs, run, lastHourJ, evicted }: SummaryFacts,
): LiveSummary {
  const all = flights.map(({ properties }) => properties);
  const airborne = all.filter(({ state }) => state === 'airborne');
  const newest = all
    .map(({ last_seen }) => last_seen)
    .sort()
    .at(-1);
  const size = ({ energy_forcing_so_far_j: so_far }: (typeof all)[number]) => Math.abs(so_far ?? 0);
  return {
    time: isoSecond(nowMs),
    aircraft: all.length,
    airborne: airborne.length,
    forming_persistent: airborne.filter(({ persistent }) => persistent === true).length,
    living_contrail_km: Math.round(lengthM / 1000),
    cover_km2: Math.round(coverM2 / 1e6),
    net_forcing_w: netForcingW,
    net_forcing_mw_per_m2: (1000 * netForcingW) / GLOBE_M2,
    energy_forcing_last_hour_j: lastHourJ,
    largest: all
      .filter((flight) => size(flight) > 0)
      .sort((a, b) => size(b) - size(a))
      .slice(0, LARGEST)
      .map(({ id, callsign, energy_forcing_so_far_j, energy_forcing_j }) => ({
        id,
        callsign,
        energy_forcing_so_far_j: energy_forcing_so_far_j ?? 0,
        energy_forcing_j,
      })),
    newest_report: newest ?? null,
    evicted_aircraft: evicted,
    weather: run
      ? {
          source: run.source,
          forecast_time: run.referenceTime === undefined ? null : isoSecond(run.referenceTime),
        }
      : null,
  };
}
