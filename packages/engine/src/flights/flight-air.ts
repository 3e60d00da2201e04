import { levelFromAltitudeM, relativeHumidityIce } from '@contrails/physics/atmosphere';
import {
  type AirAlongFlight,
  type CocipFlight,
  type ScaleHumidity,
  type Weather,
  weatherPoints,
} from '@contrails/physics/cocip';
import { feetToMetres } from '@contrails/physics/common';
import type { FlightWith } from '@contrails/physics/flight';
import { columnsOf } from '@contrails/physics/numerics';

/** The air at the waypoints, as the weather has it and as the models take it. */
export interface FlightAir extends AirAlongFlight {
  /** Before any scaling. */
  readonly unscaledHumidity: Float64Array;
  /** 1 where all the air is known that contrails need. */
  readonly inside: Uint8Array;
  /** Waypoints where nothing but the wind is unknown. */
  readonly windless: number;
}

/** The flight with its altitude in all units; a given pressure takes the place of the standard atmosphere's. */
export function withLevels(flight: FlightWith<'altitudeFt'>): CocipFlight {
  const { altitudeFt } = flight;
  const column = columnsOf(altitudeFt.length, 3);
  const [altitudeM, levelHpa, airPressurePa] = [column(), column(), column()];
  let [knownFt, metres, hpa] = [Number.NaN, Number.NaN, Number.NaN];
  for (let i = 0; i < altitudeFt.length; i++) {
    // In cruise an altitude is that of the waypoint before.
    if (altitudeFt[i] !== knownFt) {
      knownFt = altitudeFt[i] as number;
      metres = feetToMetres(knownFt);
      hpa = levelFromAltitudeM(metres);
    }
    altitudeM[i] = metres;
    levelHpa[i] = hpa;
    airPressurePa[i] = 100 * hpa;
  }
  overlay(airPressurePa, flight.airPressurePa);
  return { ...flight, altitudeM, levelHpa, airPressurePa };
}

/**
 * Interpolates the weather and puts what the flight brought along in its place; given humidity is not scaled.
 * Wind that the weather does not have stays unknown: calm air would make up an airspeed.
 */
export function airAlongFlight(
  flight: CocipFlight,
  weather: Weather | undefined,
  scaleHumidity: ScaleHumidity,
): FlightAir {
  const count = flight.timeMs.length;
  const column = columnsOf(count, 6);
  const [temperature, u, v, humidity] = [column(), column(), column(), column()];
  const [rhi, unscaledHumidity] = [column(), column()];
  if (weather === undefined) for (const unknown of [temperature, u, v, humidity]) unknown.fill(Number.NaN);
  else weather.sample([temperature, u, v, humidity], weatherPoints(flight), count);
  const inside = new Uint8Array(count);
  for (let i = 0; i < count; i++) inside[i] = Number.isNaN(temperature[i]) ? 0 : 1;
  overlay(temperature, flight.airTemperatureK);
  overlay(u, flight.eastwardWindMS);
  overlay(v, flight.northwardWindMS);
  unscaledHumidity.set(humidity);
  scaleHumidity(humidity, rhi, temperature, flight.airPressurePa, flight.latitude, count);
  const given = flight.specificHumidity;
  for (let i = 0; given !== undefined && i < count; i++) {
    const q = given[i] as number;
    if (Number.isNaN(q)) continue;
    unscaledHumidity[i] = humidity[i] = q;
    rhi[i] = relativeHumidityIce(q, temperature[i] as number, flight.airPressurePa[i] as number);
  }
  // A hole in the weather, or values that no air has.
  for (let i = 0; i < count; i++) if (Number.isNaN(rhi[i])) inside[i] = 0;
  // No contrail can be followed without wind, so whether one persists is unknown.
  let windless = 0;
  for (let i = 0; i < count; i++) {
    if (inside[i] === 0 || !(Number.isNaN(u[i]) || Number.isNaN(v[i]))) continue;
    inside[i] = 0;
    windless++;
  }
  return { temperature, humidity, rhi, u, v, unscaledHumidity, inside, windless };
}

function overlay(column: Float64Array, given: Float64Array | undefined): void {
  if (given === undefined) return;
  for (let i = 0; i < column.length; i++) {
    if (!Number.isNaN(given[i])) column[i] = given[i] as number;
  }
}
