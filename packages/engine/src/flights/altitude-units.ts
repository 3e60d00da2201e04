/** Altitudes of a request that look like another unit than feet. */
import { rocdInto, segmentDurationInto, segmentHaversineInto } from '@contrails/physics/aircraft';
import { type FlightWith, flightOf } from '@contrails/physics/flight';
import { maxIgnoringNaN, sumIgnoringNaN } from '@contrails/physics/numerics';
import type { FieldError } from '@contrails/runtime/errors';
import { finish, type Work } from '@contrails/runtime/turns';
import { aircraftOf } from './aircraft.ts';
import type { FlightGiven, RequestFleet } from './fleet.ts';
import { amount, of } from './warnings.ts';

/** Ranges of a cruise altitude that is not in feet. */
const UNITS = {
  metres: { from: 7000, to: 15_500, remedy: 'send metres as altitude_m' },
  'flight levels': { from: 150, to: 600, remedy: 'multiply flight levels by 100' },
} as const;
type Unit = keyof typeof UNITS;
const UNIT_NAMES = Object.keys(UNITS) as Unit[];

/** Level flight so low is slower than the first [m/s]; that of an airliner faster than the second is short. */
const FAST_M_S = 170;
const AIRLINER_M_S = 120;
const SHORT_S = 20 * 60;
const LEVEL_FT_MIN = 250;
/** What counts as cruise, of the highest altitude. */
const TOP_SHARE = 0.9;

/** In the shape of errors: they are warnings of an answer, and are listed with the errors of a request that is refused. */
export function unitWarningsOf(fleet: RequestFleet): Work<FieldError[]> {
  return warningsFor(fleet, (columns, about, top) => otherUnit(columns, about, top));
}

/** The same for flights whose altitudes no weather covers: a single waypoint has no speed to go by. */
export function unitHintsOf(fleet: RequestFleet): FieldError[] {
  return finish(
    warningsFor(fleet, ({ altitudeFt }, _, top) =>
      altitudeFt.every(isWholeMetres) ? undefined : unitAround(top),
    ),
  );
}

/**
 * The same for one flight that has no cruise. Nothing cruises at so few feet as there are flight levels; at as many feet as
 * metres slow flights do.
 */
export function unitHintOf(flight: FlightWith<'altitudeFt'>, about: FlightGiven): string | undefined {
  if (flight.altitudeFt.every(isWholeMetres)) return undefined;
  const top = maxIgnoringNaN(flight.altitudeFt);
  const unit = unitAround(top) === 'flight levels' ? 'flight levels' : otherUnit(flight, about, top);
  return unit && looksLike(unit, top);
}

/** Whether an altitude was sent in metres, as whole ones. */
function isWholeMetres(feet: number): boolean {
  const metres = feet * 0.3048;
  return !Number.isInteger(feet) && Math.abs(metres - Math.round(metres)) < 1e-6;
}

type FindUnit = (columns: FlightWith<'altitudeFt'>, about: FlightGiven, top: number) => Unit | undefined;

function* warningsFor(fleet: RequestFleet, find: FindUnit): Work<FieldError[]> {
  const found: { flight: number; count: number; top: number; unit: Unit | undefined }[] = [];
  for (const [flight, about] of fleet.attributes.entries()) {
    const columns = flightOf(fleet, flight);
    const count = columns.timeMs.length;
    const top = maxIgnoringNaN(columns.altitudeFt);
    found.push({ flight, count, top, unit: find(columns, about, top) });
    yield count;
  }
  return UNIT_NAMES.flatMap((unit) => {
    const concerned = found.filter((one) => one.unit === unit);
    if (concerned.length === 0) return [];
    const top = Math.max(...concerned.map((one) => one.top));
    return {
      loc: ['body', 'altitude'],
      msg: `${amount(concerned, 'waypoint')}${of(fleet, concerned)}: ${looksLike(unit, top)}`,
      type: 'unit',
    };
  });
}

function looksLike(unit: Unit, top: number): string {
  return `altitude up to ${Number(top.toPrecision(7))} looks like ${unit}, but is read as feet; ${UNITS[unit].remedy}`;
}

function unitAround(top: number): Unit | undefined {
  return UNIT_NAMES.find((name) => top >= UNITS[name].from && top <= UNITS[name].to);
}

/** The unit that the altitudes are in rather than feet. */
function otherUnit(flight: FlightWith<'altitudeFt'>, about: FlightGiven, top: number): Unit | undefined {
  const unit = unitAround(top);
  if (unit === undefined) return undefined;
  const { timeMs, longitude, latitude, altitudeFt } = flight;
  const column = () => new Float64Array(timeMs.length);
  const durationS = segmentDurationInto(column(), timeMs);
  const distanceM = segmentHaversineInto(column(), longitude, latitude);
  const rate = rocdInto(column(), durationS, altitudeFt);
  const isCruise = (_: number, i: number) =>
    Math.abs(rate[i] as number) < LEVEL_FT_MIN && (altitudeFt[i] as number) >= TOP_SHARE * top;
  const seconds = sumIgnoringNaN(durationS.filter(isCruise));
  const speed = sumIgnoringNaN(distanceM.filter(isCruise)) / seconds;
  const isLongAirliner = aircraftOf(about) !== undefined && seconds >= SHORT_S;
  return speed >= FAST_M_S || (isLongAirliner && speed >= AIRLINER_M_S) ? unit : undefined;
}
