/** The weather that plans need: from the lowest to the highest level of their rows, and long enough for the slowest. */
import type { OpenWeather } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { flightOf } from '@contrails/physics/flight';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { OutsideWeather } from '../errors.ts';
import type { RequestFleet } from '../flights/fleet.ts';
import { shownBox } from '../flights/plan-weather.ts';
import type { FlightToPlan } from './flight-to-plan.ts';
import type { PlanningOptions } from './options.ts';

/** Rows may be slower than the flight by so much of its duration. */
const DELAY_SHARE = 0.1;

/** Flights that reach from the lowest to the highest level of the plan: the weather that their rows see. */
export function weatherEnvelope(
  fleet: RequestFleet,
  chosen: readonly { readonly f: number }[],
  { flightLevels, shiftsFt }: PlanningOptions,
): RequestFleet {
  const parts = chosen.map(({ f }) => flightOf(fleet, f));
  const offsets = sharedUint32(chosen.length + 1);
  parts.forEach(({ timeMs }, k) => {
    offsets[k + 1] = (offsets[k] as number) + timeMs.length;
  });
  const positions = ['timeMs', 'longitude', 'latitude', 'altitudeFt'] as const;
  const columns = Object.fromEntries(
    positions.map((name) => {
      const joined = sharedFloat64(offsets[chosen.length] as number);
      parts.forEach((part, k) => {
        joined.set(part[name], offsets[k]);
      });
      return [name, joined];
    }),
  ) as unknown as RequestFleet['columns'];
  parts.forEach(({ timeMs, altitudeFt }, k) => {
    const first = offsets[k] as number;
    const last = (offsets[k + 1] as number) - 1;
    const low = altitudeFt.reduce((a, b) => Math.min(a, b));
    const high = altitudeFt.reduce((a, b) => Math.max(a, b));
    const levelsFt = flightLevels.map((level) => 100 * level);
    columns.altitudeFt[first] = Math.min(low, ...levelsFt, ...shiftsFt.map((shift) => low + shift));
    columns.altitudeFt[last] = Math.max(high, ...levelsFt, ...shiftsFt.map((shift) => high + shift));
    const durationMs = (timeMs.at(-1) as number) - (timeMs[0] as number);
    columns.timeMs[last] = (columns.timeMs[last] as number) + DELAY_SHARE * durationMs;
  });
  return {
    columns,
    offsets,
    attributes: chosen.map(({ f }) => fleet.attributes[f] ?? {}),
    requestIndex: undefined,
    flightId: fleet.flightId,
  };
}

/** Refuses a flight whose cruise lies outside of the weather as a whole. */
export function requireInside({ track, cruise }: FlightToPlan, { levels, origin }: OpenWeather): void {
  const isWithin = ({ knots }: { knots: Float64Array }, value: number) =>
    value >= (knots[0] as number) && value <= (knots.at(-1) as number);
  for (let i = cruise.first; i <= cruise.last; i++) {
    const isInside =
      isWithin(levels.time, track.timeMs[i] as number) &&
      isWithin(levels.latitude, track.latitude[i] as number) &&
      isWithin(levels.longitude, track.longitude[i] as number) &&
      isWithin(levels.level, levelFromAltitudeFt(track.altitudeFt[i] as number));
    if (isInside) return;
  }
  throw new OutsideWeather(
    `no waypoint of the cruise lies in the weather; ${origin.name} has here ${shownBox(levels)}`,
  );
}
