/**
 * Point formulas over columns, performance and emissions along flights, on one core, versus numpy/pycontrails on the
 * same points in the same run.
 */

import {
  DEFAULT_ENGINE_DETERIORATION,
  findAircraftType,
  flightPerformanceInto,
} from '@contrails/physics/aircraft';
import {
  isaTemperatureK,
  levelFromAltitudeFt,
  relativeHumidityIceInto,
  relativeHumidityLiquidInto,
  saturationPressureIceInto,
  saturationPressureLiquidInto,
  specificHumidityFromRhIceInto,
} from '@contrails/physics/atmosphere';
import { degreesToRadians, feetToMetres } from '@contrails/physics/common';
import {
  createEmissionsModel,
  emissionIndicesInto,
  JET_A1,
  selectEngine,
} from '@contrails/physics/emissions';
import {
  allocateEvaluated,
  evaluatedView,
  evaluateFlight,
  type FlightInAir,
} from '@contrails/physics/flight';
import { sacInto } from '@contrails/physics/formation';
import {
  constantHumidityScaling,
  exponentialBoostHumidityScaling,
  type HumidityScaling,
  histogramMatching,
  latitudeBoostHumidityScaling,
} from '@contrails/physics/humidity-scaling';
import { MINUTE_MS } from '@contrails/runtime';
import { bestNanoseconds } from './support/measure.ts';
import { printBesidePeer, runPeer } from './support/peer.ts';

/** One level of a global quarter-degree grid with waves in temperature and humidity; the peer has the same. */
const LONGITUDES = 1440;
const LATITUDES = 721;
const POINTS = LONGITUDES * LATITUDES;
const latitudeDeg = field((_, lat) => lat);
const temperatureK = field((lon, lat) => 225 + 15 * cosDeg(2 * lat) + 5 * sinDeg(4 * lon));
const pressurePa = field((lon) => 25_000 + 10 * cosDeg(3 * lon));
const specificHumidity = specificHumidityFromRhIceInto(
  new Float64Array(POINTS),
  field((lon, lat) => 0.7 + 0.7 * sinDeg(9 * lon) * cosDeg(7 * lat)),
  temperatureK,
  pressurePa,
);
const out = new Float64Array(POINTS);
const rhi = new Float64Array(POINTS);

const points: Record<string, () => unknown> = {
  'saturation pressure over ice': () => saturationPressureIceInto(out, temperatureK),
  'saturation pressure over liquid': () => saturationPressureLiquidInto(out, temperatureK),
  'relative humidity over ice': () =>
    relativeHumidityIceInto(out, specificHumidity, temperatureK, pressurePa),
  'relative humidity over liquid': () =>
    relativeHumidityLiquidInto(out, specificHumidity, temperatureK, pressurePa),
  'Schmidt–Appleman criterion': () =>
    sacInto(
      { sac: out },
      {
        specificHumidity,
        temperatureK,
        pressurePa,
        engineEfficiency: 0.3,
        eiH2o: JET_A1.eiH2o,
        qFuelJKg: JET_A1.qFuelJKg,
      },
      'trajectory',
    ),
  'constant humidity scaling': scaling(constantHumidityScaling()),
  'exponential boost': scaling(exponentialBoostHumidityScaling()),
  'exponential boost with latitude': scaling(latitudeBoostHumidityScaling()),
  'histogram matching': scaling(histogramMatching()),
};

function field(value: (lonDeg: number, latDeg: number) => number): Float64Array {
  return Float64Array.from({ length: POINTS }, (_, i) =>
    value((i % LONGITUDES) / 4, Math.floor(i / LONGITUDES) / 4 - 90),
  );
}

function sinDeg(degrees: number): number {
  return Math.sin(degreesToRadians(degrees));
}

function cosDeg(degrees: number): number {
  return Math.cos(degreesToRadians(degrees));
}

function scaling(method: HumidityScaling): () => void {
  return () => method.scaleInto(out, rhi, specificHumidity, temperatureK, pressurePa, latitudeDeg);
}

/** A climb, a cruise and a descent of an A320, one waypoint a minute; the peer flies the same. */
const AIRCRAFT_TYPE = 'A320';
const SHORT = 200;
const LONG = 20_000;

function flight(waypoints: number): FlightInAir & { readonly trueAirspeedMS: Float64Array } {
  const column = (value: (i: number) => number): Float64Array =>
    Float64Array.from({ length: waypoints }, (_, i) => value(i));
  const altitudeFt = column((i) => Math.min(36_000, 1500 + 1100 * i, 1500 + 1000 * (waypoints - 1 - i)));
  return {
    timeMs: column((i) => Date.UTC(2023, 6, 1, 6) + MINUTE_MS * i),
    longitude: column((i) => (0.15 * i) % 170),
    latitude: column(() => 48),
    altitudeFt,
    airTemperatureK: altitudeFt.map((feet) => isaTemperatureK(feetToMetres(feet)) + 3),
    specificHumidity: altitudeFt.map((feet) => 0.008 * Math.exp(-feet / 6000)),
    trueAirspeedMS: column((i) => 150 + Math.min(80, 4 * i, 4 * (waypoints - 1 - i)) + 2 * sinDeg(10 * i)),
  };
}

function alongFlight(): Record<string, () => unknown> {
  const long = flight(LONG);
  const found = evaluatedView(allocateEvaluated(LONG), 0, LONG);
  const loaded = {
    type: findAircraftType(AIRCRAFT_TYPE),
    payloadKg: 15_000,
    engineDeterioration: DEFAULT_ENGINE_DETERIORATION,
    qFuelJKg: JET_A1.qFuelJKg,
  };
  flightPerformanceInto(found, long, loaded);
  const model = createEmissionsModel(selectEngine({ aircraftType: AIRCRAFT_TYPE }), JET_A1);
  const air = {
    ...long,
    airPressurePa: long.altitudeFt.map((feet) => 100 * levelFromAltitudeFt(feet)),
    fuelFlowPerEngineKgS: found.fuelFlowKgS.map((flow) => flow / 2),
  };
  return {
    'Poll–Schumann performance': () => flightPerformanceInto(found, long, loaded),
    emissions: () => emissionIndicesInto(found, air, model),
  };
}

const short = flight(SHORT);

const peer = runPeer('physics');
const ours = Object.fromEntries(
  Object.entries(points).map(([what, work]) => [what, bestNanoseconds(POINTS, work)]),
);
printBesidePeer('ns per point', ours, peer);
printBesidePeer(
  'ns per waypoint',
  Object.fromEntries(
    Object.entries(alongFlight()).map(([what, work]) => [what, bestNanoseconds(LONG, work)]),
  ),
  peer,
);
printBesidePeer(
  'ns per flight',
  {
    'performance and emissions of 200 waypoints': bestNanoseconds(
      1,
      () => evaluateFlight(short, { aircraftType: AIRCRAFT_TYPE }),
      2000,
    ),
  },
  peer,
);
