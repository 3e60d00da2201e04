import { expect, test } from 'vitest';
import { isaTemperatureK } from '../../src/atmosphere/isa.ts';
import { fillAirspeed, fillCalmAir, fillIsaTemperature } from '../../src/flight/low-altitude.ts';

const altitudeM = Float64Array.of(100, 5000, 11000);
const levelHpa = Float64Array.of(1001, 540, 226);

test('ISA temperature goes only below the weather', () => {
  const temperature = Float64Array.of(Number.NaN, Number.NaN, 220);
  fillIsaTemperature(temperature, altitudeM, levelHpa, 1000);
  expect(temperature).toEqual(Float64Array.of(isaTemperatureK(100), Number.NaN, 220));
});

test("ISA temperature goes to every gap of a flight's own temperatures", () => {
  const temperature = Float64Array.of(290, Number.NaN, 220);
  fillIsaTemperature(temperature, altitudeM, levelHpa);
  expect(temperature).toEqual(Float64Array.of(290, isaTemperatureK(5000), 220));
});

test('calm air goes only below the weather', () => {
  const u = Float64Array.of(Number.NaN, Number.NaN, 30);
  const v = Float64Array.of(Number.NaN, 4, -5);
  fillCalmAir(u, v, levelHpa, 1000);
  expect([u, v]).toEqual([Float64Array.of(0, Number.NaN, 30), Float64Array.of(0, 4, -5)]);
});

test('ground speed stands in for an unknown airspeed only', () => {
  const airspeed = Float64Array.of(80, Number.NaN, 230);
  fillAirspeed(airspeed, Float64Array.of(70, 150, 240));
  expect(airspeed).toEqual(Float64Array.of(80, 150, 230));
});
