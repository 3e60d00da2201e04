/** Functions that shaders call, over their whole range, against those of the language. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { POLAR_MOVE } from '../../src/cocip/gpu/shader.ts';
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

    test('moves points near the poles', async () => {
      if (typeof device === 'string') throw new Error(device);
      const random = (i: number, k: number) => (((i + 1) * (k + 7) * 2_654_435_761) >>> 0) / 2 ** 32;
      const column = (k: number, low: number, high: number) =>
        Float32Array.from({ length: COUNT }, (_, i) => low + (high - low) * random(i, k));
      const latitude = column(1, 80.001, 89.5).map((value, i) => (i % 2 === 0 ? value : -value));
      const given = {
        longitude: column(0, -180, 180),
        latitude,
        u: column(2, -80, 80),
        v: column(3, -80, 80),
      };
      given.u[0] = given.v[0] = 0;
      const found = await runRows(
        device,
        {
          statements:
            'let moved = move_near_pole(c_longitude, c_latitude, c_u, c_v, 300.0); c_longitude = moved.x; c_latitude = moved.y;',
          columns: ['longitude', 'latitude', 'u', 'v'],
          functions: POLAR_MOVE,
        },
        given,
        COUNT,
      );
      let worst = 0;
      for (let i = 0; i < COUNT; i++) {
        const start = [given.longitude[i], given.latitude[i], given.u[i], given.v[i], 300] as [
          number,
          number,
          number,
          number,
          number,
        ];
        const [lon, lat] = [advectLongitude(...start), advectLatitude(...start)];
        const east = Math.abs((found.longitude?.[i] as number) - lon);
        const circle = Math.cos((lat * Math.PI) / 180);
        worst = Math.max(
          worst,
          Math.min(east, 360 - east) * circle,
          Math.abs((found.latitude?.[i] as number) - lat),
        );
      }
      expect(worst).toBeLessThan(3e-5);
    });
  },
);
