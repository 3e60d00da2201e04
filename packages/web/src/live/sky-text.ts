/** What is in the sky and what is wrong with it, in words. */
import type { LiveSummary } from '@contrails/client';
import { contrailCo2eKg, DEFAULT_CO2E } from '@contrails/physics/climate';
import { type Metric, metricLabel } from '../shell/metric.ts';
import { massText, timeText } from '../text.ts';
import { MINUTE_MS } from './live-state.ts';
import type { FlightFacts, Sky } from './sky.ts';

/** `23:05` */
export function clockText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 16);
}

/** `3 s`, `12 min`, `2.5 h` */
export function ageText(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Number((seconds / 3600).toFixed(1))} h`;
}

/** Watt with a prefix: `3.2 GW`. */
export function powerText(watt: number): string {
  const units = ['W', 'kW', 'MW', 'GW', 'TW'];
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.abs(watt) || 1) / 3), 0), units.length - 1);
  return `${Number((watt / 1000 ** power).toPrecision(2))} ${units[power]}`;
}

/** What is in the sky, and what it does. */
export function skyText(summary: LiveSummary, metric: Metric): string {
  const { airborne, forming_persistent: forming, weather } = summary;
  const aircraft = `${airborne.toLocaleString('en')} aircraft in the air`;
  if (airborne === 0 && summary.living_contrail_km === 0) return 'Nothing is in the sky.';
  if (weather === null)
    return `${aircraft}. Nothing is known of their contrails, because no weather covers now.`;
  const leave =
    forming === 1 ? '1 leaves a contrail that lasts' : `${forming || 'none'} leave contrails that last`;
  return `${aircraft}, ${leave}. ${effectText(summary, metric)}`;
}

function effectText(summary: LiveSummary, metric: Metric): string {
  const { living_contrail_km: km, net_forcing_w: watt, energy_forcing_last_hour_j: energy } = summary;
  if (km === 0) return 'No contrail is left in the sky.';
  const together = `${km.toLocaleString('en')} km of contrails ${watt < 0 ? 'cool' : 'warm'} with ${powerText(Math.abs(watt))} now`;
  const kilograms = contrailCo2eKg(energy, metric.horizon, { ...DEFAULT_CO2E, ...metric });
  const mass = `${massText(Math.abs(kilograms))} of CO₂ (${metricLabel(metric)})`;
  return `${together}; in the last hour ${kilograms < 0 ? `they offset ${mass}` : `as much as ${mass}`}.`;
}

/** A cycle that is older was not just slow. */
const LATE_MS = 4 * MINUTE_MS;

/** What keeps the sky from being complete or current, with the remedy. */
export function skyProblems(summary: LiveSummary, nowMs: number): string[] {
  const cycleMs = Date.parse(summary.time);
  const stalled = summary.feeds.filter((feed) => feed.stalled);
  return [
    ...stalled.map(({ name, newest_report: newest }) =>
      newest === null
        ? `The feed “${name}” has sent no report yet. Check its address and that the receiver runs.`
        : `The feed “${name}” is silent: its newest report is of ${clockText(Date.parse(newest))} UTC. Check the receiver.`,
    ),
    ...(summary.weather === null && summary.aircraft > 0
      ? [
          'No weather covers now and the next hours, so contrails are unknown. Connect weather, or wait for the next run.',
        ]
      : []),
    ...(nowMs - cycleMs > LATE_MS
      ? [
          `Contrails were computed ${ageText(nowMs - cycleMs)} ago, aircraft move on without them. Check that a worker runs: contrails doctor.`,
        ]
      : []),
    ...(summary.evicted_aircraft > 0
      ? [`${summary.evicted_aircraft} aircraft are left out: live.memory_mib is too small for all.`]
      : []),
  ];
}

/** What an empty sky waits for, and for how long. */
export function catchUpText({ name, newestMs, leftMs }: ReturnType<Sky['catchingUp']>[number]): string {
  const wait = leftMs === undefined ? '' : `, in about ${ageText(leftMs)}`;
  return `The feed “${name}” begins in the past and is at ${timeText(newestMs)}. Aircraft appear when it has come up to now${wait}.`;
}

/** Callsign, type and level. */
export function flightText({
  callsign,
  icao_address,
  aircraft_type_icao: type,
  altitude_ft: feet,
}: FlightFacts): string {
  return [callsign ?? icao_address, type ?? 'unknown type', levelText(feet)].join(', ');
}

export function levelText(feet: number | null): string {
  return feet === null
    ? 'on the ground'
    : `FL${String(Math.max(Math.round(feet / 100), 0)).padStart(3, '0')}`;
}

/** What the half hour ahead brings, or why that is not known. */
export function aheadText({ ahead, state, vertical_rate_fpm: rate }: FlightFacts): string {
  if (state === 'ground') return 'On the ground: nothing is ahead.';
  if (state === 'stale') return 'It is no longer heard, so nothing is predicted.';
  if (ahead === null)
    return Math.abs(rate ?? 0) >= 300
      ? 'It climbs or descends, so nothing is predicted.'
      : 'Nothing is predicted: its track is not known well enough.';
  const { persistent_km: km, first_persistent_min: first, energy_forcing_j: energy } = ahead;
  if (energy === null) return 'The weather does not reach that far.';
  if (km === 0 || first === null) return 'No contrail that lasts in the next 30 minutes at this level.';
  const begins = first === 0 ? 'now' : `in ${first} min`;
  return `${Math.round(km)} km of contrails that last in the next 30 minutes at this level, beginning ${begins}.`;
}
