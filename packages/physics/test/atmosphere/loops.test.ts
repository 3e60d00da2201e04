/** Every loop over columns gives what its scalar function gives, element by element. */
import { describe, expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

type Column = physics.Column;
/** Functions of fewer arguments fit in as well. */
type Scalar = (a: number, b: number, c: number, d: number, e: number, f: number) => number;
type Loop = (out: Column, a: Column, b: Column, c: Column, d: Column) => Column;

/** Relative error that saturation-table.ts promises. */
const TABULATED = 3e-10;

const ROWS = 200;
const UNKNOWN_ROW = 100;

/** Deterministic values across [from, to] that reach both ends. */
function spread(from: number, to: number, stride: number): Float64Array {
  return Float64Array.from(
    { length: ROWS },
    (_, i) => from + ((to - from) * ((i * stride) % ROWS)) / (ROWS - 1),
  );
}

const temperatureK = spread(170, 325, 37);
const pressurePa = spread(5000, 105000, 53);
const humidity = spread(-1e-5, 8e-4, 71);
const altitudeM = spread(-500, 20000, 13);
const levelHpa = spread(20, 1050, 29);
const lon0 = spread(-180, 180, 31);
const lat0 = spread(-90, 90, 43);
const lon1 = spread(-180, 180, 59);
const lat1 = spread(-90, 90, 17);
const speed = spread(50, 300, 61);
const mach = spread(0.2, 0.9, 67);
const flux = spread(-400, 900, 73);
const ratio = spread(0, 1.7, 79);
const cloudIce = spread(-1e-6, 1e-4, 83);
const slope = spread(0.9, 2.5, 89);
const flag = Float64Array.from({ length: ROWS }, (_, i) => [0, 1, Number.NaN][i % 3] as number);
const otherFlag = Float64Array.from({ length: ROWS }, (_, i) => [0, 1, Number.NaN][(i >> 2) % 3] as number);

const loops: [name: string, loop: Loop, scalar: Scalar, columns: Column[], tolerance?: number][] = [
  ['isaTemperatureK', physics.isaTemperatureKInto, physics.isaTemperatureK, [altitudeM]],
  ['levelFromAltitudeM', physics.levelFromAltitudeMInto, physics.levelFromAltitudeM, [altitudeM]],
  ['altitudeMFromLevel', physics.altitudeMFromLevelInto, physics.altitudeMFromLevel, [levelHpa]],
  ['levelFromAltitudeFt', physics.levelFromAltitudeFtInto, physics.levelFromAltitudeFt, [altitudeM]],
  ['altitudeFtFromLevel', physics.altitudeFtFromLevelInto, physics.altitudeFtFromLevel, [levelHpa]],
  ['machFromAirspeed', physics.machFromAirspeedInto, physics.machFromAirspeed, [speed, temperatureK]],
  ['airspeedFromMach', physics.airspeedFromMachInto, physics.airspeedFromMach, [mach, temperatureK]],
  ['haversineM', physics.haversineMInto, physics.haversineM, [lon0, lat0, lon1, lat1]],
  ['initialAzimuthDeg', physics.initialAzimuthDegInto, physics.initialAzimuthDeg, [lon0, lat0, lon1, lat1]],
  [
    'saturationPressureIce',
    physics.saturationPressureIceInto,
    physics.saturationPressureIce,
    [temperatureK],
    TABULATED,
  ],
  [
    'saturationPressureLiquid',
    physics.saturationPressureLiquidInto,
    physics.saturationPressureLiquid,
    [temperatureK],
    TABULATED,
  ],
  [
    'saturationPressureMixed',
    physics.saturationPressureMixedInto,
    physics.saturationPressureMixed,
    [temperatureK],
    TABULATED,
  ],
  [
    'saturationPressureLiquidSlope',
    physics.saturationPressureLiquidSlopeInto,
    physics.saturationPressureLiquidSlope,
    [temperatureK],
  ],
  [
    'windShearEnhancement',
    (out, depth) => physics.windShearEnhancementInto(out, depth, 2000, 0.5),
    (depth) => physics.windShearEnhancement(depth, 2000, 0.5),
    [speed],
  ],
  ['vapourPressure', physics.vapourPressureInto, physics.vapourPressure, [humidity, pressurePa]],
  [
    'saturationHumidityIce',
    physics.saturationHumidityIceInto,
    physics.saturationHumidityIce,
    [temperatureK, pressurePa],
    TABULATED,
  ],
  [
    'saturationHumidityLiquid',
    physics.saturationHumidityLiquidInto,
    physics.saturationHumidityLiquid,
    [temperatureK, pressurePa],
    TABULATED,
  ],
  [
    'relativeHumidityLiquid',
    physics.relativeHumidityLiquidInto,
    physics.relativeHumidityLiquid,
    [humidity, temperatureK, pressurePa],
    TABULATED,
  ],
  [
    'relativeHumidityIce',
    physics.relativeHumidityIceInto,
    physics.relativeHumidityIce,
    [humidity, temperatureK, pressurePa],
    TABULATED,
  ],
  [
    'specificHumidityFromRhLiquid',
    physics.specificHumidityFromRhLiquidInto,
    physics.specificHumidityFromRhLiquid,
    [ratio, temperatureK, pressurePa],
    TABULATED,
  ],
  [
    'specificHumidityFromRhIce',
    physics.specificHumidityFromRhIceInto,
    physics.specificHumidityFromRhIce,
    [ratio, temperatureK, pressurePa],
    TABULATED,
  ],
  ['airDensity', physics.airDensityInto, physics.airDensity, [temperatureK, pressurePa]],
  ['vapourDensity', physics.vapourDensityInto, physics.vapourDensity, [temperatureK, pressurePa]],
  ['moistHeatCapacity', physics.moistHeatCapacityInto, physics.moistHeatCapacity, [humidity]],
  [
    'potentialTemperature',
    physics.potentialTemperatureInto,
    physics.potentialTemperature,
    [temperatureK, pressurePa],
  ],
  ['vapourDiffusivity', physics.vapourDiffusivityInto, physics.vapourDiffusivity, [temperatureK, pressurePa]],
  ['dynamicViscosity', physics.dynamicViscosityInto, physics.dynamicViscosity, [temperatureK]],
  ['stretchLevel', physics.stretchLevelInto, physics.stretchLevel, [levelHpa]],
  [
    'reflectedSolarRadiation',
    physics.reflectedSolarRadiationInto,
    physics.reflectedSolarRadiation,
    [speed, flux],
  ],
  [
    'outgoingLongwaveRadiation',
    physics.outgoingLongwaveRadiationInto,
    physics.outgoingLongwaveRadiation,
    [flux],
  ],
  [
    'cirrusExtinction',
    physics.cirrusExtinctionInto,
    physics.cirrusExtinction,
    [cloudIce, temperatureK, pressurePa],
  ],
];

/** Loops that answer for some unknown inputs. */
const lenientLoops: typeof loops = [
  [
    'issrFlag',
    (out, rhi, T) => physics.issrInto(out, rhi, T),
    (rhi, T) => physics.issrFlag(rhi, T),
    [ratio, temperatureK],
  ],
  [
    'criticalTemperature',
    physics.criticalTemperatureInto,
    physics.criticalTemperature,
    [ratio, slope, slope.map(physics.thresholdTemperature)],
    1e-11,
  ],
  ['pcrFlag', physics.pcrInto, physics.pcrFlag, [flag, otherFlag]],
];

function run(loop: Loop, out: Column, columns: readonly Column[]): Column {
  const column = (k: number) => columns[k] ?? out;
  return loop(out, column(0), column(1), column(2), column(3));
}

function at(scalar: Scalar, columns: readonly Column[], row: number): number {
  const value = (k: number) => columns[k]?.[row] ?? Number.NaN;
  return scalar(value(0), value(1), value(2), value(3), value(4), value(5));
}

function expectSame(actual: Column, scalar: Scalar, columns: readonly Column[], tolerance: number): void {
  for (let i = 0; i < ROWS; i++) {
    const expected = at(scalar, columns, i);
    if (Number.isNaN(expected)) expect(actual[i], `row ${i}`).toBeNaN();
    else
      expect(Math.abs((actual[i] as number) - expected), `row ${i}`).toBeLessThanOrEqual(
        tolerance * Math.abs(expected),
      );
  }
}

describe.each([...loops, ...lenientLoops])('%sInto', (_, loop, scalar, columns, tolerance = 0) => {
  test('agrees with the scalar function', () => {
    expectSame(run(loop, new Float64Array(ROWS), columns), scalar, columns, tolerance);
  });

  test('may write over its first input', () => {
    const own = columns.map((column) => column.slice());
    expectSame(run(loop, own[0] as Column, own), scalar, columns, tolerance);
  });

  test('refuses columns of another length', () => {
    expect(() => run(loop, new Float64Array(ROWS + 1), columns)).toThrow(physics.InputError);
  });
});

test.each(loops)('%sInto returns NaN where an input is NaN, and only there', (_, loop, __, columns) => {
  const complete = run(loop, new Float64Array(ROWS), columns);
  columns.forEach((_, index) => {
    const holed = columns.map((column) => column.slice());
    (holed[index] as Column)[UNKNOWN_ROW] = Number.NaN;
    const answer = run(loop, new Float64Array(ROWS), holed);
    expect(answer[UNKNOWN_ROW]).toBeNaN();
    answer[UNKNOWN_ROW] = complete[UNKNOWN_ROW] as number;
    expect(answer).toEqual(complete);
  });
});

test('advectInto agrees with the scalar functions, also in place', () => {
  const lon = lon0.slice();
  const lat = lat0.slice();
  physics.advectInto(lon, lat, lon, lat, flux, speed, 600);
  expectSame(lon, (a, b, u, v) => physics.advectLongitude(a, b, u, v, 600), [lon0, lat0, flux, speed], 0);
  expectSame(lat, (a, b, u, v) => physics.advectLatitude(a, b, u, v, 600), [lon0, lat0, flux, speed], 0);
});

test('advectLevelInto agrees with the scalar function', () => {
  const out = physics.advectLevelInto(new Float64Array(ROWS), levelHpa, ratio, mach, ratio, 600);
  expectSame(out, (l, w, d, f) => physics.advectLevel(l, w, d, f, 600), [levelHpa, ratio, mach, ratio], 0);
});

test('segmentDirectionInto, headingDirectionInto and destinationInto agree with the scalar functions', () => {
  const a = new Float64Array(ROWS);
  const b = new Float64Array(ROWS);
  physics.segmentDirectionInto(a, b, lon0, lat0, lon1, lat1);
  expectSame(a, physics.segmentSinA, [lon0, lat0, lon1, lat1], 0);
  expectSame(b, physics.segmentCosA, [lon0, lat0, lon1, lat1], 0);
  physics.headingDirectionInto(a, b, lat0, lon1);
  expectSame(a, physics.headingSinA, [lat0, lon1], 0);
  expectSame(b, physics.headingCosA, [lat0, lon1], 0);
  physics.destinationInto(a, b, lon0, lat0, lon1, altitudeM);
  expectSame(a, physics.destinationLongitude, [lon0, lat0, lon1, altitudeM], 0);
  expectSame(b, physics.destinationLatitude, [lat0, lon1, altitudeM], 0);
});

test('stabilityInto writes the limited gradient and the frequency that belongs to it', () => {
  const gradient = new Float64Array(ROWS);
  const frequency = new Float64Array(ROWS);
  const lowerTemperature = temperatureK.map((T, i) => T + (i % 5) - 1);
  const lowerPressure = physics.pressureBelowInto(new Float64Array(ROWS), temperatureK, pressurePa, 200);
  physics.stabilityInto(gradient, frequency, temperatureK, pressurePa, lowerTemperature, lowerPressure, 200);
  const columns = [temperatureK, pressurePa, lowerTemperature, lowerPressure];
  const raw = (T: number, p: number, Tl: number, pl: number) =>
    physics.potentialTemperatureGradient(T, p, Tl, pl, 200);
  expectSame(
    gradient,
    (T: number, p: number, Tl: number, pl: number) => physics.stableGradient(raw(T, p, Tl, pl)),
    columns,
    0,
  );
  expectSame(
    frequency,
    (T: number, p: number, Tl: number, pl: number) => physics.bruntVaisala(T, p, raw(T, p, Tl, pl)),
    columns,
    0,
  );
});

test('windShearInto agrees with the scalar functions', () => {
  const shear = new Float64Array(ROWS);
  const normal = new Float64Array(ROWS);
  physics.windShearInto(shear, normal, speed, flux, mach, ratio, mach, ratio, 200);
  expectSame(
    shear,
    (a: number, b: number, c: number, d: number) => physics.windShear(a, b, c, d, 200),
    [speed, flux, mach, ratio],
    0,
  );
  expectSame(
    normal,
    (a, b, c, d, s, t) => physics.windShearNormal(a, b, c, d, s, t, 200),
    [speed, flux, mach, ratio, mach, ratio],
    0,
  );
});

test('solarDirectRadiationInto agrees with the scalar function over equal and changing times', () => {
  const times = Float64Array.from({ length: ROWS }, (_, i) => Date.UTC(2024, 5, 1, i >> 3));
  times[UNKNOWN_ROW] = Number.NaN;
  const out = physics.solarDirectRadiationInto(new Float64Array(ROWS), lon0, lat0, times, 0.01);
  for (let i = 0; i < ROWS; i++) {
    const expected = physics.solarDirectRadiation(
      lon0[i] as number,
      lat0[i] as number,
      times[i] as number,
      0.01,
    );
    if (Number.isNaN(expected)) expect(out[i]).toBeNaN();
    else expect(out[i]).toBeCloseTo(expected, 9);
  }
});

test('potentialContrailCoverInto agrees with the scalar function', () => {
  const surface = spread(70000, 103000, 41);
  const out = physics.potentialContrailCoverInto(
    new Float64Array(ROWS),
    humidity,
    temperatureK,
    pressurePa,
    cloudIce,
    surface,
  );
  expectSame(
    out,
    (q, T, p, ice, ps) => physics.potentialContrailCover(q, T, p, ice, ps),
    [humidity, temperatureK, pressurePa, cloudIce, surface],
    0,
  );
});
