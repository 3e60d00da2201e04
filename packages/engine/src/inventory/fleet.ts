/** Flights of the inventory as a fleet, which the models take. */
import { greatCircleKm } from '@contrails/flights';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { WEATHER_FLOOR_FT } from '@contrails/flights/inventory';
import { altitudeFtFromLevel, isaTemperatureK, levelFromAltitudeM } from '@contrails/physics/atmosphere';
import { feetToMetres } from '@contrails/physics/common';
import { specificHumidityOfFfm2 } from '@contrails/physics/emissions';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import type { RequestFleet, SharedColumn } from '../flights/fleet.ts';
import type { ResolvedAircraft } from './aircraft.ts';

/** A flight and its aircraft. */
export interface FleetMember {
  readonly flight: Omit<InventoryFlight, 'columns'> & { readonly columns: FleetColumns };
  readonly aircraft: ResolvedAircraft;
  /** Mass at the first minute [kg], where it is known. */
  readonly massKg?: number | undefined;
}

type FleetColumns = Pick<InventoryFlight['columns'], 'timeMs' | 'longitude' | 'latitude' | 'altitudeFt'>;

/**
 * Below the lowest level of the weather [hPa] the air is that of the standard atmosphere without wind, so climb and
 * descent have fuel and emissions; a request that gives these values gets the same results.
 */
export function fleetOf(members: readonly FleetMember[], lowestLevelHpa: number): RequestFleet {
  const offsets = sharedUint32(members.length + 1);
  members.forEach(({ flight }, f) => {
    offsets[f + 1] = (offsets[f] as number) + flight.columns.timeMs.length;
  });
  const count = offsets[members.length] as number;
  const joined = (of: (columns: FleetColumns) => Float64Array): SharedColumn => {
    const column = sharedFloat64(count);
    members.forEach(({ flight }, f) => void column.set(of(flight.columns), offsets[f]));
    return column;
  };
  const altitudeFt = joined((columns) => columns.altitudeFt);
  return {
    columns: {
      timeMs: joined((columns) => columns.timeMs),
      longitude: joined((columns) => columns.longitude),
      latitude: joined((columns) => columns.latitude),
      altitudeFt,
      ...lowAir(altitudeFt, lowestLevelHpa),
    },
    offsets,
    attributes: members.map(({ flight, aircraft, massKg }) => ({
      id: flight.flightId,
      aircraftType: aircraft.aircraftType,
      engineUid: aircraft.engineUid,
      originAirportIcao: flight.departureIcao ?? undefined,
      destinationAirportIcao: flight.arrivalIcao ?? undefined,
      airportDistanceKm: greatCircleKm(flight.departureIcao, flight.arrivalIcao),
      aircraftRole: aircraft.role,
      takeoffMassKg: massKg,
    })),
    requestIndex: undefined,
    flightId: undefined,
  };
}

/** Air that is given instead of interpolated; NaN is taken from the weather. */
export function lowAir(altitudeFt: SharedColumn, lowestLevelHpa: number) {
  const unknown = () => sharedFloat64(altitudeFt.length).fill(Number.NaN);
  const [airTemperatureK, specificHumidity, eastwardWindMS, northwardWindMS] = [
    unknown(),
    unknown(),
    unknown(),
    unknown(),
  ];
  // Most waypoints lie far above.
  const clearlyAboveFt = altitudeFtFromLevel(lowestLevelHpa) + 1;
  for (let i = 0; i < altitudeFt.length; i++) {
    if ((altitudeFt[i] as number) > clearlyAboveFt) continue;
    const altitudeM = feetToMetres(altitudeFt[i] as number);
    const levelHpa = levelFromAltitudeM(altitudeM);
    if (!(levelHpa > lowestLevelHpa)) continue;
    const temperatureK = isaTemperatureK(altitudeM);
    airTemperatureK[i] = temperatureK;
    eastwardWindMS[i] = 0;
    northwardWindMS[i] = 0;
    // Above the floor unknown humidity stays unknown, because contrails depend on it.
    if ((altitudeFt[i] as number) <= WEATHER_FLOOR_FT)
      specificHumidity[i] = specificHumidityOfFfm2(temperatureK, 100 * levelHpa);
  }
  return { airTemperatureK, specificHumidity, eastwardWindMS, northwardWindMS };
}
