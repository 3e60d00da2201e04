/** The answer of the planning endpoints: the plan of a flight, or the plans of a fleet, each encoded as soon as it is made. */

import { JsonBytes, toJson } from '@contrails/formats/json/writer';
import type { WeatherOrigin } from '@contrails/met';
import { FIGURE_FIELDS, published, unitsOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import type { FlightPlan } from './conclude.ts';
import { type Answer, describeFlight } from './describe-flight.ts';
import type { PlanningRequest } from './read-body.ts';
import { type Row, zeroForNaN } from './row.ts';

/** Why a flight of a fleet has no plan. */
export interface FlightProblem {
  readonly name: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export interface PlanAnswers {
  /** Throws where the plans take more than the memory for them. */
  add(f: number, plan: FlightPlan, origin: WeatherOrigin): void;
  refuse(f: number, problem: FlightProblem): void;
  has(f: number): boolean;
  finish(): Answer;
}

const NOTES = ['other traffic, airspace and turbulence are not considered'];

const UNITS = {
  takeoff_mass: 'kg',
  length_km: 'km',
  ...unitsOf(FIGURE_FIELDS),
  altitude: 'ft',
  ...unitsOf(WAYPOINT_FIELDS, ['fuel_flow', 'energy_forcing']),
};

const MIB = 2 ** 20;

/** How the problem of a flight stands in the answer. */
export type DescribeProblem = (problem: FlightProblem) => object;

export function collectAnswers(
  request: PlanningRequest,
  memoryBytes: number,
  describeProblem: DescribeProblem = (problem) => problem,
): PlanAnswers {
  const { fleet, warnings } = request;
  const isFleet = Array.isArray(fleet.flightId);
  const described = new Map<number, Answer | JsonBytes>();
  const sums = new Map<number, FlightSums>();
  let bytes = 0;
  const keep = (f: number, description: Answer) => {
    if (!isFleet) {
      described.set(f, description);
      return;
    }
    const encoded = Buffer.from(toJson(rounded(description)));
    bytes += encoded.length;
    if (bytes > memoryBytes) throw tooLarge(request, memoryBytes);
    described.set(f, new JsonBytes([encoded]));
  };
  return {
    add(f, plan, origin) {
      const alone = { attributes: fleet.attributes.slice(f, f + 1), flightId: undefined };
      keep(f, describeFlight(plan, origin, isFleet ? alone : fleet, warnings));
      sums.set(f, sumsOf(plan));
    },
    refuse(f, problem) {
      keep(f, { flight_id: fleet.attributes[f]?.id ?? null, problem: { ...describeProblem(problem) } });
    },
    has: (f) => described.has(f),
    finish() {
      const about = { notes: NOTES, units: UNITS };
      const flights = fleet.attributes.map((_, f) => described.get(f));
      if (flights.some((one) => one === undefined))
        throw new TypeError('a flight has no plan and no problem');
      if (!isFleet) return rounded({ ...(flights[0] as Answer), ...about });
      const planned = fleet.attributes.flatMap((_, f) => sums.get(f) ?? []);
      return { flights, totals: rounded(totalsOf(flights.length, planned)), ...about };
    },
  };
}

function tooLarge({ planning }: PlanningRequest, memoryBytes: number): ValidationError {
  const [field, remedy] =
    planning.includes.length > 0
      ? ['include', `leave out include=${planning.includes.join(',')}`]
      : ['flight_levels', 'ask for fewer levels'];
  const msg = `the plans of these flights take more than ${Math.floor(memoryBytes / MIB)} MiB (planning.memory_mib); ${remedy}, or send fewer flights at once`;
  return new ValidationError([{ loc: ['query', field], msg, type: 'value_error' }]);
}

/** The figures that are added up over flights. */
export const SUMMED = ['fuel_kg', 'co2_kg', 'flight_time_s', 'energy_forcing_j', 'cost'] as const;
type Sums = Readonly<Record<(typeof SUMMED)[number], number>>;

/** What the totals of a fleet need of a flight. */
interface FlightSums {
  readonly isChanged: boolean;
  readonly baseline: Sums;
  readonly chosen: Sums;
}

function sumsOf({ rows, prices, chosen, recommendation }: FlightPlan): FlightSums {
  const of = ({ totals, netJ, cost }: Row): Sums => ({
    fuel_kg: zeroForNaN(totals.fuelKg),
    co2_kg: zeroForNaN(prices.eiCo2 * totals.fuelKg),
    flight_time_s: zeroForNaN(totals.timeS),
    energy_forcing_j: zeroForNaN(netJ),
    cost: zeroForNaN(cost),
  });
  return { isChanged: recommendation.change, baseline: of(rows[0] as Row), chosen: of(chosen) };
}

/** Sums over the flights that have a plan, as they were and as they were chosen. */
function totalsOf(flights: number, planned: readonly FlightSums[]): Answer {
  const sum = (of: (flight: FlightSums) => Sums): Answer => {
    const add = (name: keyof Sums) => planned.reduce((total, flight) => total + of(flight)[name], 0);
    return published(FIGURE_FIELDS, Object.fromEntries(SUMMED.map((name) => [name, add(name)])));
  };
  return {
    ...{ flights, planned: planned.length },
    changes_recommended: planned.filter(({ isChanged }) => isChanged).length,
    baseline: sum(({ baseline }) => baseline),
    chosen: sum(({ chosen }) => chosen),
    recommended: sum(({ isChanged, baseline, chosen }) => (isChanged ? chosen : baseline)),
  };
}

const DIGITS = 7;
/** Coordinates and tracks are given back as they are, so a track can be posted. */
const EXACT: ReadonlySet<string> = new Set(['longitude', 'latitude', 'altitude']);

/** Numbers with 7 digits; what is unknown is null. */
function rounded(value: Answer): Answer {
  return roundedValue(value) as Answer;
}

function roundedValue(value: unknown): unknown {
  if (typeof value === 'number')
    return Number.isFinite(value)
      ? Number.isInteger(value)
        ? value
        : Number(value.toPrecision(DIGITS))
      : null;
  if (ArrayBuffer.isView(value) || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(roundedValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, EXACT.has(name) ? entry : roundedValue(entry)]),
  );
}
