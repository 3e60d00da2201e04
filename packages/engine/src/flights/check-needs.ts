/** Whether a request has what its model needs of aircraft and engines. */
import { knownAircraftTypes } from '@contrails/physics/aircraft';
import { didYouMean, nearMatches } from '@contrails/physics/common';
import { defaultEngine } from '@contrails/physics/emissions';
import type { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { aircraftOf } from './aircraft.ts';
import type { GivenName } from './fields.ts';
import type { FlightGiven } from './fleet.ts';
import { missingPerformance, type Needs, type PerformanceNeed } from './needs.ts';

export function checkNeeds(
  needs: Needs,
  flights: readonly FlightGiven[],
  isGiven: (name: GivenName) => boolean,
  /** Index in the request of the first waypoint of each flight; undefined for a single flight. */
  firstWaypoints: readonly (number | undefined)[],
  errors: ErrorList,
): void {
  if (!needs.flight) return;
  const noneHasType = flights.every(({ aircraftType }) => aircraftType === undefined);
  for (const [f, about] of flights.entries()) {
    const refuse = refusalOf(needs, about, isGiven);
    if (refuse === undefined) continue;
    // A type that no flight has is missing once, not once for each flight.
    refuse(noneHasType ? undefined : firstWaypoints[f], errors);
    if (noneHasType) return;
  }
}

type Refuse = (index: number | undefined, errors: ErrorList) => void;

function refusalOf(
  needs: Needs,
  about: FlightGiven,
  isGiven: (name: GivenName) => boolean,
): Refuse | undefined {
  const missing = missingPerformance(needs, isGiven, about);
  const { aircraftType } = about;
  if (aircraftType === undefined && missing.length > 0) return missingType(missing);
  if (aircraftType !== undefined && isUnknown(about, missing)) return unknownType(aircraftType, missing);
  const lacksEngines = needs.emissions && !isGiven('nvpm_ei_n') && engineCountOf(about) === undefined;
  return lacksEngines ? missingEngines : undefined;
}

/** A type without parameters still determines the usual engine, where nothing else has to be computed. */
function isUnknown(about: FlightGiven, missing: readonly PerformanceNeed[]): boolean {
  if (aircraftOf(about) !== undefined) return false;
  return missing.length > 0 || defaultEngine(about.aircraftType ?? '') === undefined;
}

function engineCountOf(about: FlightGiven): number | undefined {
  return (
    about.engineCount ??
    aircraftOf(about)?.engineCount ??
    (about.aircraftType === undefined ? undefined : defaultEngine(about.aircraftType)?.engineCount)
  );
}

function missingType(missing: readonly PerformanceNeed[]): Refuse {
  const instead = missing.length === 1 ? 'that value' : 'those values';
  return (index, errors) =>
    errors.addField(
      'aircraft_type',
      index,
      () =>
        `aircraft_type is missing; it is needed to compute ${missing.join(', ')}: give it, such as B738, or give ${instead}`,
      'missing',
    );
}

function unknownType(type: string, missing: readonly PerformanceNeed[]): Refuse {
  const otherwise = missing.length === 0 ? '' : `, or give ${missing.join(', ')} yourself`;
  return (index, errors) =>
    errors.addField(
      'aircraft_type',
      index,
      () => {
        const name = index === undefined ? 'aircraft_type' : `aircraft_type[${index}]`;
        const near = didYouMean(nearMatches(type, knownAircraftTypes()));
        return `${name} ${shown(type)} is not known to the performance model; give an ICAO designator that is${otherwise}.${near}`;
      },
      'choice',
    );
}

const missingEngines: Refuse = (index, errors) =>
  errors.addField(
    'n_engine',
    index,
    () => 'n_engine is missing; it is needed to compute emissions: give it, or aircraft_type, or nvpm_ei_n',
    'missing',
  );
