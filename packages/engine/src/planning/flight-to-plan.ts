/** A flight of a request with what a plan changes about it. */
import { flightOf } from '@contrails/physics/flight';
import {
  type AvoidBox,
  type CruisePart,
  cruisePart,
  type WorkingTrack,
  workingTrack,
} from '@contrails/physics/planning';
import { NoCruise } from '../errors.ts';
import { unitHintOf } from '../flights/altitude-units.ts';
import type { FlightGiven, RequestFleet } from '../flights/fleet.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import type { PlanningOptions } from './options.ts';

export interface FlightToPlan {
  readonly track: WorkingTrack;
  readonly cruise: CruisePart;
  readonly about: FlightGiven;
  readonly nvpmEiN: number | undefined;
  readonly options: TrajectoryOptions;
  readonly planning: PlanningOptions;
  readonly boxes: readonly AvoidBox[];
}

/** The flight of a request as it is planned; throws where it has no cruise. */
export function flightToPlan(
  fleet: RequestFleet,
  flight: number,
  nvpmEiN: number | undefined,
  options: TrajectoryOptions,
  planning: PlanningOptions,
  boxes: readonly AvoidBox[],
): FlightToPlan {
  const { aircraftMassKg, ...columns } = flightOf(fleet, flight);
  const given = fleet.attributes[flight] ?? {};
  const track = workingTrack(columns);
  const cruise = cruisePart(track, planning.fromWaypoint, planning.toWaypoint);
  if (cruise === undefined) {
    const within =
      planning.fromWaypoint === undefined && planning.toWaypoint === undefined
        ? ''
        : ' between from_waypoint and to_waypoint';
    const remedy = unitHintOf(columns, given) ?? 'send more of the flight';
    throw new NoCruise(
      `the flight has no cruise${within}: 5 minutes at or above 20000 ft, climbing and descending at less than 250 ft/min, were looked for; ${remedy}`,
    );
  }
  const firstMass = aircraftMassKg?.[0];
  const about =
    given.takeoffMassKg === undefined && firstMass !== undefined && !Number.isNaN(firstMass)
      ? { ...given, takeoffMassKg: firstMass }
      : given;
  return { track, cruise, about, nvpmEiN, options, planning, boxes };
}
