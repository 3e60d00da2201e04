/** What looks wrong with the waypoints of a request although every value is allowed: units and speeds. */
import {
  groundSpeedInto,
  maxIgnoringNaN,
  rocdInto,
  segmentDurationInto,
  segmentHaversineInto,
  sumIgnoringNaN,
} from '@contrails/physics';
import type { Fault } from '../../errors.ts';
import { aircraftOf } from './aircraft.ts';
import { type Fleet, type FlightView, flightOf } from './fleet.ts';
import type { TrajectoryModel } from './models.ts';
import { amount, type Concerned, of } from './warnings.ts';

/** Ground speeds of aircraft [m/s]; slower ones are only odd where nothing takes off or lands. */
const SLOWEST_M_S = 45;
const FASTEST_M_S = 350;
const CRUISE_FLOOR_FT = 20_000;
/** Times of dense reports are often whole seconds: a segment may have lasted so much longer or shorter [s]. */
const TIMING_S = 1;

/** Between which numbers a cruise lies that is not in feet. */
const UNITS = {
  metres: { from: 7000, to: 15_500, remedy: 'send metres as altitude_m' },
  'flight levels': { from: 150, to: 600, remedy: 'multiply flight levels by 100' },
} as const;
type Unit = keyof typeof UNITS;

/** Level flight so low is slower than the first [m/s]; that of an airliner faster than the second is short. */
const FAST_M_S = 170;
const AIRLINER_M_S = 120;
const SHORT_S = 20 * 60;
const LEVEL_FT_MIN = 250;
/** What counts as cruise, of the highest altitude. */
const TOP_SHARE = 0.9;

interface FlightDoubts {
  readonly unit: Unit | undefined;
  readonly top: number;
  readonly waypoints: number;
  /** Segments that are too fast and too slow, and the highest speed [m/s]. */
  readonly fast: number;
  readonly slow: number;
  readonly speed: number;
}

/** Sentences in the shape of faults: they are warnings of an answer, and help to explain a refusal. */
export function doubtsOf(model: TrajectoryModel, fleet: Fleet): Fault[] {
  const doubts = fleet.flights.map((_, flight) => doubtsAbout(flightOf(fleet, flight)));
  const concerned = (count: (of: FlightDoubts) => number): Concerned[] =>
    doubts.flatMap((found, flight) => (count(found) > 0 ? [{ flight, count: count(found) }] : []));
  const units = (Object.keys(UNITS) as Unit[]).flatMap((unit) => {
    const flights = concerned((found) => (found.unit === unit ? found.waypoints : 0));
    const top = Math.max(...doubts.map((found) => (found.unit === unit ? found.top : 0)));
    return flights.length === 0 ? [] : unitDoubt(fleet, unit, flights, top);
  });
  if (model === 'issr') return units;
  const highest = Math.round(Math.max(...doubts.map(({ speed }) => speed)));
  return [
    ...units,
    ...speedDoubts(
      fleet,
      concerned(({ fast }) => fast),
      `up to ${highest} m/s`,
    ),
    ...speedDoubts(
      fleet,
      concerned(({ slow }) => slow),
      `${SLOWEST_M_S} m/s or less above ${CRUISE_FLOOR_FT} ft`,
    ),
  ];
}

function unitDoubt(fleet: Fleet, unit: Unit, concerned: readonly Concerned[], top: number): Fault {
  return {
    loc: ['body', 'altitude'],
    msg: `${amount(concerned, 'waypoint')}${of(fleet, concerned)}: altitude up to ${Number(top.toPrecision(7))} looks like ${unit}, but is read as feet; ${UNITS[unit].remedy}`,
    type: 'unit',
  };
}

function speedDoubts(fleet: Fleet, concerned: readonly Concerned[], speed: string): Fault[] {
  if (concerned.length === 0) return [];
  return [
    {
      loc: ['body', 'time'],
      msg: `${amount(concerned, 'segment')}${of(fleet, concerned)}: a ground speed of ${speed} is impossible, so airspeed, fuel and contrails there are wrong; check time, longitude and latitude`,
      type: 'speed',
    },
  ];
}

function doubtsAbout(flight: FlightView): FlightDoubts {
  const { timeMs, longitude, latitude, altitudeFt } = flight;
  const column = () => new Float64Array(timeMs.length);
  const durationS = segmentDurationInto(column(), timeMs);
  const distanceM = segmentHaversineInto(column(), longitude, latitude);
  const speed = groundSpeedInto(column(), distanceM, durationS);
  let [fast, slow] = [0, 0];
  for (let i = 0; i + 1 < speed.length; i++) {
    const lower = Math.min(altitudeFt[i] as number, altitudeFt[i + 1] as number);
    const seconds = durationS[i] as number;
    const metres = distanceM[i] as number;
    if (metres >= FASTEST_M_S * (seconds + TIMING_S)) fast++;
    if (metres <= SLOWEST_M_S * (seconds - TIMING_S) && lower > CRUISE_FLOOR_FT) slow++;
  }
  const top = maxIgnoringNaN(altitudeFt);
  return {
    unit: otherUnit(flight, top, durationS, speed),
    top,
    waypoints: timeMs.length,
    fast,
    slow,
    speed: maxIgnoringNaN(speed),
  };
}

/** The unit that the altitudes are in rather than feet. */
function otherUnit(
  { altitudeFt, about }: FlightView,
  top: number,
  durationS: Float64Array,
  speed: Float64Array,
): Unit | undefined {
  const unit = (Object.keys(UNITS) as Unit[]).find(
    (name) => top >= UNITS[name].from && top <= UNITS[name].to,
  );
  if (unit === undefined) return undefined;
  const rate = rocdInto(new Float64Array(speed.length), durationS, altitudeFt);
  const isCruise = (i: number) =>
    Math.abs(rate[i] as number) < LEVEL_FT_MIN && (altitudeFt[i] as number) >= TOP_SHARE * top;
  const cruiseS = durationS.filter((_, i) => isCruise(i));
  const cruiseM = durationS.map((seconds, i) => seconds * (speed[i] as number)).filter((_, i) => isCruise(i));
  const seconds = sumIgnoringNaN(cruiseS);
  const mean = sumIgnoringNaN(cruiseM) / seconds;
  const isAirliner = aircraftOf(about) !== undefined;
  const isDoubtful = mean >= FAST_M_S || (isAirliner && mean >= AIRLINER_M_S && seconds >= SHORT_S);
  return isDoubtful ? unit : undefined;
}
