import { readFileSync } from 'node:fs';
import { bunzip2 } from '@contrails/runtime/bunzip2';
import { expect, test } from 'vitest';
import {
  modelToPressureLevels,
  specificHumidityOfRelativeHumidity,
  verticalVelocityOfGeometric,
  windComponents,
} from '../../src/convert/fields.ts';
import { decodeMessage } from '../../src/sources/grib/message.ts';
import { expected, toleranceOf, treePath } from '../support/weather-sync.ts';

test('turns wind that comes from a direction into components', () => {
  const { eastward, northward } = windComponents(
    Float32Array.of(10, 10, 10, 10),
    Float32Array.of(0, 90, 180, 270),
  );
  expect(Array.from(eastward, Math.round)).toEqual([0, -10, 0, 10].map((value) => expect.closeTo(value)));
  expect(Array.from(northward, Math.round)).toEqual([-10, 0, 10, 0].map((value) => expect.closeTo(value)));
});

test('keeps relative humidity above saturation', () => {
  const [half = 0, double = 0] = specificHumidityOfRelativeHumidity(
    Float32Array.of(0.5, 2),
    Float32Array.of(220, 220),
    25_000,
  );
  expect(double / half).toBeCloseTo(4, 5);
});

test('interpolates in the logarithm of pressure and leaves levels outside the layers empty', () => {
  const pressure = [20_000, 30_000, 40_000].map((pa) => Float32Array.of(pa));
  const { x = [] } = modelToPressureLevels(
    pressure,
    { x: [1, 2, 3].map((value) => Float32Array.of(value)) },
    [150, 200, 250, 400, 450],
  );
  const values = x.map(([value]) => value);
  expect(values[0]).toBeNaN();
  expect(values[1]).toBe(1);
  expect(values[2]).toBeCloseTo(1 + Math.log(25 / 20) / Math.log(30 / 20), 6);
  expect(values[3]).toBe(3);
  expect(values[4]).toBeNaN();
});

const ICON = treePath('icon-eu', 'weather/nwp/icon-eu/grib/06');
const iconBytes = (variable: string, rest: string) =>
  bunzip2(
    readFileSync(
      `${ICON}/${variable}/icon-eu_europe_regular-lat-lon_${rest}_${variable.toUpperCase()}.grib2.bz2`,
    ),
  );

test('reads ICON messages on model levels and brings them to pressure levels', async () => {
  const layers = [24, 25, 26, 27, 28, 29, 30, 31];
  const at = async (variable: string, step: string, level: number) =>
    decodeMessage(iconBytes(variable, `model-level_2026091406_${step}_${level}`));
  const all = (variable: string) => Promise.all(layers.map((level) => at(variable, '002', level)));
  const [t, qv, p] = await Promise.all([all('t'), all('qv'), all('p')]);
  const w = await Promise.all([...layers, 32].map((level) => at('w', '002', level)));
  expect(t[0]).toMatchObject({ levelType: 150, level: 24, code: { category: 0, number: 0, centre: 78 } });
  expect(new Date(t[0]?.timeMs ?? 0).toISOString()).toBe('2026-09-14T08:00:00.000Z');
  const omega = layers.map((_, k) => {
    const [upper, lower] = [w[k]?.values as Float32Array, w[k + 1]?.values as Float32Array];
    const middle = upper.map((value, i) => (value + (lower[i] as number)) / 2);
    return verticalVelocityOfGeometric(middle, t[k]?.values as Float32Array, p[k]?.values as Float32Array);
  });
  const fields = {
    air_temperature: t.map(({ values }) => values),
    specific_humidity: qv.map(({ values }) => values),
    vertical_velocity: omega,
  };
  const out = modelToPressureLevels(
    p.map(({ values }) => values),
    fields,
    [250],
  );
  const { longitudes, latitudes, latitudeStride } = (t[0] as Awaited<ReturnType<typeof decodeMessage>>).grid;
  const point = expected['icon-eu']?.points[0];
  const index =
    latitudes.indexOf(point?.latitude ?? Number.NaN) * latitudeStride +
    longitudes.findIndex((longitude) => (longitude + 180) % 360 === ((point?.longitude ?? 0) + 180) % 360);
  for (const name of Object.keys(fields)) {
    const value = point?.values[name] ?? Number.NaN;
    expect(Math.abs((out[name]?.[0]?.[index] as number) - value), name).toBeLessThan(
      toleranceOf(name, value),
    );
  }
});

test('reads radiation as the mean since the start of the forecast', async () => {
  const message = await decodeMessage(iconBytes('asob_t', 'single-level_2026091406_003'));
  expect(message).toMatchObject({ levelType: 8, statistic: 'mean' });
  expect(message.timeMs - message.intervalStartMs).toBe(3 * 3_600_000);
});

test('rejects a message that is cut, too long or not GRIB', async () => {
  const bytes = iconBytes('t', 'model-level_2026091406_000_24');
  await expect(decodeMessage(bytes.subarray(0, -1))).rejects.toThrow('no 7777 at its end');
  const longer = new Uint8Array(bytes.length + 4);
  longer.set(bytes);
  longer.set(bytes.subarray(-4), bytes.length);
  await expect(decodeMessage(longer)).rejects.toThrow(`it has ${bytes.length + 4} bytes instead of`);
  const other = bytes.slice();
  other[0] = 0x58;
  await expect(decodeMessage(other)).rejects.toThrow('no GRIB message begins');
});

test('rejects damaged bzip2', () => {
  const path = `${ICON}/t/icon-eu_europe_regular-lat-lon_model-level_2026091406_000_24_T.grib2.bz2`;
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 0x10;
  expect(() => bunzip2(bytes)).toThrow('cannot be unpacked with bzip2');
});
