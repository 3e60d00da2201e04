/** What the performance and emissions models are told of a flight. */
import { type AircraftType, findAircraftType, knownAircraftTypes } from '@contrails/physics/aircraft';
import type { GivenColumns } from '@contrails/physics/cocip';
import { type Fuel, JET_A1, safBlend } from '@contrails/physics/emissions';
import type { FlightAttributes } from '@contrails/physics/flight';
import type { FlightGiven, FlightView } from './fleet.ts';
import { missingPerformance, type Needs } from './needs.ts';

const KNOWN_TYPES: ReadonlySet<string> = new Set(knownAircraftTypes());
/** Flights of one fuel share one object: what the emissions model prepares is kept with it. */
const blends = new Map<number, Fuel>();

/** The type of a flight, where there is one with parameters. */
export function aircraftOf({ aircraftType }: FlightGiven): AircraftType | undefined {
  return aircraftType !== undefined && KNOWN_TYPES.has(aircraftType)
    ? findAircraftType(aircraftType)
    : undefined;
}

/** CO2 of a kilogram of the flight's fuel [kg]. */
export function eiCo2Of(about: FlightGiven): number {
  return fuelOf(about).eiCo2;
}

/**
 * What a request does not look at, and the flight does not bring along, is unknown instead of computed: so a flight with
 * its efficiency needs no type for the formation criterion.
 */
export function givenTo(
  flight: FlightView,
  needs: Needs,
  aircraft: AircraftType | undefined,
): { attributes: FlightAttributes; columns: GivenColumns } {
  const { about } = flight;
  const unknown = () => new Float64Array(flight.timeMs.length).fill(Number.NaN);
  const columns: GivenColumns = {
    trueAirspeedMS: flight.given('true_airspeed'),
    aircraftMassKg: flight.given('aircraft_mass'),
    thrustN: flight.given('thrust'),
    engineEfficiency: flight.given('engine_efficiency'),
    fuelFlowKgS: flight.given('fuel_flow'),
    noxEi: flight.given('nox_ei'),
    nvpmEiN: flight.given('nvpm_ei_n') ?? (needs.emissions ? undefined : unknown()),
  };
  const attributes: FlightAttributes = {
    ...about,
    engineCount: about.engineCount ?? aircraft?.engineCount,
    fuel: fuelOf(about),
  };
  const isComplete =
    missingPerformance(needs, (name) => flight.given(name) !== undefined, about).length === 0;
  if (!isComplete) return { attributes, columns };
  return {
    attributes: { ...attributes, wingspanM: about.wingspanM ?? Number.NaN },
    columns: {
      ...columns,
      aircraftMassKg: columns.aircraftMassKg ?? unknown(),
      engineEfficiency: columns.engineEfficiency ?? unknown(),
      fuelFlowKgS: columns.fuelFlowKgS ?? unknown(),
    },
  };
}

function fuelOf({ safBlendPercent }: FlightGiven): Fuel {
  if (safBlendPercent === undefined) return JET_A1;
  const blend = blends.get(safBlendPercent) ?? safBlend(safBlendPercent);
  blends.set(safBlendPercent, blend);
  return blend;
}
