/**
 * Evaluation of flights and fleets from waypoints and weather: airspeed, Poll–Schumann performance, emissions.
 * Values that a flight supplies always win over computed ones.
 */

import { emissionTotals } from '../emissions/totals.ts';
import { InputError } from '../errors.ts';
import { type Fleet, flightOf, givenColumns } from '../flight-columns.ts';
import { JET_A1 } from '../fuel.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { airspeedInto } from './airspeed.ts';
import type { EvaluationParams, FlightAttributes, FlightFacts } from './attributes.ts';
import { allocateEvaluated, type EvaluatedColumns, evaluatedView, type FlightInAir } from './columns.ts';
import { emissionsInto } from './emissions.ts';
import { performanceInto } from './performance.ts';

export interface FlightEvaluation {
  readonly columns: EvaluatedColumns;
  readonly facts: FlightFacts;
}

export interface FleetEvaluation {
  readonly columns: EvaluatedColumns;
  readonly flights: readonly FlightFacts[];
}

/** Evaluates one flight; its waypoints stand in order of time. */
export function evaluateFlight(
  flight: FlightInAir,
  attributes: FlightAttributes,
  params: EvaluationParams = {},
): FlightEvaluation {
  const waypoints = flight.timeMs.length;
  const columns = evaluatedView(allocateEvaluated(waypoints), 0, waypoints);
  return { columns, facts: evaluateFlightInto(columns, flight, attributes, params) };
}

/** Evaluates the flights of a fleet; the results of a flight do not depend on the others. */
export function evaluateFleet(
  fleet: Fleet<FlightAttributes, FlightInAir>,
  params: EvaluationParams = {},
): FleetEvaluation {
  const { columns, offsets, attributes } = fleet;
  const waypoints = columns.timeMs.length;
  requireOffsets(offsets, attributes.length, waypoints);
  const block = allocateEvaluated(waypoints);
  const flights = attributes.map((flight, f) => {
    const [start, end] = [offsets[f] as number, offsets[f + 1] as number];
    return evaluateFlightInto(evaluatedView(block, start, end), flightOf(fleet, f), flight, params);
  });
  return { columns: evaluatedView(block, 0, waypoints), flights };
}

function evaluateFlightInto(
  out: EvaluatedColumns,
  flight: FlightInAir,
  attributes: FlightAttributes,
  params: EvaluationParams,
): FlightFacts {
  requireSameLength(flight.timeMs, ...givenColumns(flight));
  const fuel = attributes.fuel ?? JET_A1;
  const legs = airspeedInto(out.trueAirspeedMS, flight, attributes, params);
  const performance = performanceInto(out, flight, attributes, fuel, legs, params);
  const emissions = emissionsInto(out, flight, attributes, fuel, performance.aircraft, legs, params);
  return {
    performanceType: performance.aircraft?.icaoType ?? null,
    wingspanM: attributes.wingspanM ?? performance.aircraft?.wingspanM ?? Number.NaN,
    maxMach: performance.aircraft?.maxOperatingMach ?? null,
    maxAltitudeM: performance.aircraft?.maxAltitudeM ?? null,
    engineDeterioration: performance.deterioration,
    payload: performance.payload,
    totalFuelBurnKg: performance.totalFuelBurnKg,
    ...emissions,
    totals: emissionTotals(out.fuelFlowKgS, legs.durationS, out, fuel),
  };
}

function requireOffsets(offsets: Uint32Array, flights: number, waypoints: number): void {
  const ascending = offsets.every((offset, f) => f === 0 || offset >= (offsets[f - 1] as number));
  if (offsets.length === flights + 1 && offsets[0] === 0 && offsets[flights] === waypoints && ascending)
    return;
  throw new InputError(
    'offsets must ascend from 0 to the number of waypoints, one more than there are flights',
    {
      offsets: offsets.length,
      flights,
      waypoints,
    },
  );
}
