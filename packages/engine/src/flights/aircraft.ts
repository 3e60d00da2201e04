/** The aircraft, fuel and given columns of a flight, as the performance and emissions models take them. */
import { type AircraftType, findAircraftType, knownAircraftTypes } from '@contrails/physics/aircraft';
import type { CocipFlight } from '@contrails/physics/cocip';
import { type Fuel, HYDROGEN, JET_A1, safBlend, withFuelProperties } from '@contrails/physics/emissions';
import type { FlightAttributes } from '@contrails/physics/flight';
import { isGiven } from './fields.ts';
import type { FlightGiven } from './fleet.ts';
import { missingPerformance, type Needs } from './needs.ts';

const KNOWN_TYPES: ReadonlySet<string> = new Set(knownAircraftTypes());
/** Flights of one fuel share one object: what the emissions model prepares is kept with it. */
const fuels = new Map<string, Fuel>([[',,', JET_A1]]);
/** Measured properties differ from one delivery to the next. */
const MAX_FUELS = 1000;

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

/** Heat of combustion of the flight's fuel [J kg⁻¹]. */
export function qFuelOf(about: FlightGiven): number {
  return fuelOf(about).qFuelJKg;
}

/**
 * What a request does not use and the flight does not give is left unknown, not computed: so a flight with
 * its efficiency needs no type for the formation criterion.
 */
export function givenTo(
  flight: CocipFlight,
  about: FlightGiven,
  needs: Needs,
): { attributes: FlightAttributes; flight: CocipFlight } {
  const unknown = () => new Float64Array(flight.timeMs.length).fill(Number.NaN);
  const attributes: FlightAttributes = {
    ...about,
    engineCount: about.engineCount ?? aircraftOf(about)?.engineCount,
    fuel: fuelOf(about),
  };
  const withParticles = {
    ...flight,
    nvpmEiN: flight.nvpmEiN ?? (needs.emissions ? undefined : unknown()),
  };
  const isComplete = missingPerformance(needs, (name) => isGiven(flight, name), about).length === 0;
  if (!isComplete) return { attributes, flight: withParticles };
  return {
    attributes: { ...attributes, wingspanM: about.wingspanM ?? Number.NaN },
    flight: {
      ...withParticles,
      aircraftMassKg: flight.aircraftMassKg ?? unknown(),
      engineEfficiency: flight.engineEfficiency ?? unknown(),
      fuelFlowKgS: flight.fuelFlowKgS ?? unknown(),
    },
  };
}

/** The fuel of a flight with the properties that it gives. */
export function fuelOf(about: FlightGiven): Fuel {
  const { safBlendPercent, hydrogenContentPercent, sulphurPpm, isHydrogen } = about;
  if (isHydrogen) return HYDROGEN;
  const key = [safBlendPercent, hydrogenContentPercent, sulphurPpm].join();
  const known = fuels.get(key);
  if (known !== undefined) return known;
  const fuel = withFuelProperties(safBlendPercent === undefined ? JET_A1 : safBlend(safBlendPercent), {
    hydrogenContentPercent,
    sulphurPpm,
  });
  if (fuels.size >= MAX_FUELS) fuels.clear();
  fuels.set(key, fuel);
  return fuel;
}
