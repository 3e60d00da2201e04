/** Point formulas over columns on one core, beside numpy/pycontrails on the same points in the same run. */
import {
  constantHumidityScaling,
  degreesToRadians,
  exponentialBoostHumidityScaling,
  type HumidityScaling,
  histogramMatching,
  JET_A1,
  latitudeBoostHumidityScaling,
  relativeHumidityIceInto,
  relativeHumidityLiquidInto,
  sacInto,
  saturationPressureIceInto,
  saturationPressureLiquidInto,
  specificHumidityFromRhIceInto,
} from '../packages/physics/src/index.ts';
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

const peer = runPeer('physics');
const ours = Object.fromEntries(
  Object.entries(points).map(([what, work]) => [what, bestNanoseconds(POINTS, work)]),
);
printBesidePeer('ns per point', ours, peer);
