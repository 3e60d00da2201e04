/** Functions that shaders call, over their whole range, against those of the language. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { SHIFT_TEXT } from '../../src/cocip/gpu/segment-text.ts';
import { advectLatitude, advectLongitude } from '../../src/geodesy/advection.ts';
import { runRows } from './support.ts';

const device = await openDevice();
const COUNT = 20_000;

const between = (low: number, high: number) =>
  Float32Array.from({ length: COUNT }, (_, i) => low + ((high - low) * i) / (COUNT - 1));
const powersBetween = (low: number, high: number) =>
  Float32Array.from({ length: COUNT }, (_, i) => 10 ** (low + ((high - low) * i) / (COUNT - 1)));

const FUNCTIONS = [
  ['exp_of', between(-86, 88), Math.exp, 3e-7],
  ['log_of', powersBetween(-37, 38), Math.log, 3e-7],
  ['log_of', between(0.5, 2), Math.log, 3e-7],
  ['one_minus_exp', powersBetween(-30, 1.9), (x: number) => -Math.expm1(-x), 3e-7],
  ['sine_of', between(-100, 100), Math.sin, 2e-7],
  ['cosine_of', between(-100, 100), Math.cos, 2e-7],
] as const;

describe.skipIf(typeof device === 'string')(
  typeof device === 'string' ? `skipped: ${device}` : 'a function of a shader',
  () => {
    test.each(FUNCTIONS)('%s %#', async (name, x, expected, relative) => {
      if (typeof device === 'string') throw new Error(device);
      const { y } = await runRows(
        device,
        { statements: `c_y = ${name}(c_x);`, columns: ['x', 'y'] },
        { x },
        COUNT,
      );
      const scale = name.endsWith('sine_of') || name === 'log_of' ? 1 : 0;
      const worst = Math.max(
        ...Array.from(x, (value, i) => {
          const right = expected(value);
          return Math.abs((y?.[i] as number) - right) / Math.max(Math.abs(right), scale);
        }),
      );
      expect(worst).toBeLessThanOrEqual(relative);
    });

    test('moves points by the wind, near the poles too', async () => {
      if (typeof device === 'string') throw new Error(device);
      const random = (i: number, k: number) => (((i + 1) * (k + 7) * 2_654_435_761) >>> 0) / 2 ** 32;
      const column = (k: number, low: number, high: number) =>
        Float32Array.from({ length: COUNT }, (_, i) => low + (high - low) * random(i, k));
      const given = {
        longitude: column(0, -180, 180),
        latitude: column(1, 0, 89.5).map((value, i) => (i % 4 < 2 ? value : 75 + value / 6.3) * (-1) ** i),
        north: column(4, -0.4, 0.4),
        u: column(2, -80, 80),
        v: column(3, -80, 80),
        east: new Float32Array(COUNT),
        shift: new Float32Array(COUNT),
      };
      given.u[0] = given.v[0] = 0;
      // Over a pole, and along the circle where the plane begins.
      given.latitude.set([89.9, -89.9, 80, -80], 10);
      given.north.set([0, 0, 0, 0], 10);
      given.v.set([60, -60, 0, 0], 10);
      const found = await runRows(
        device,
        {
          statements: `let shift = shift_of(vec2f(c_longitude, c_latitude), vec2f(0.0, c_north), vec2f(c_u, c_v), 300.0);
  c_east = shift.x; c_shift = shift.y;`,
          columns: Object.keys(given),
          functions: SHIFT_TEXT,
        },
        given,
        COUNT,
      );
      let worst = 0;
      for (let i = 0; i < COUNT; i++) {
        const [longitude, u, v] = [given.longitude[i], given.u[i], given.v[i]] as [number, number, number];
        const latitude = (given.latitude[i] as number) + (given.north[i] as number);
        const start = [longitude, latitude, u, v, 300] as const;
        const lat = advectLatitude(...start);
        const turn = Math.abs(advectLongitude(...start) - longitude - (found.east?.[i] as number)) % 360;
        const circle = Math.cos((lat * Math.PI) / 180);
        const north = Math.abs(lat - latitude - (found.shift?.[i] as number));
        worst = Math.max(worst, Math.min(turn, 360 - turn) * circle, north);
      }
      // Three hundredths of a metre of up to 34 km.
      expect(worst).toBeLessThan(3e-7);
    });
  },
);
