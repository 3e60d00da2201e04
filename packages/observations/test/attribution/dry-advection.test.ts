import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Winds } from '../../src/attribution/index.ts';
import { because, isPresent, REFERENCE } from '../support/reference.ts';
import { readWindsWithoutUnits } from '../support/weather.ts';
import { advectDry, type ExhaustSource, plumeArea } from './dry-advection.ts';

interface AdvectionCase {
  readonly met: string;
  readonly params: {
    readonly dt_integration?: string;
    readonly max_age: string | null;
    readonly sedimentation_rate?: number;
    readonly timesteps?: readonly string[];
  };
  readonly source: Record<'longitude' | 'latitude' | 'level', readonly number[]> & {
    readonly time: readonly string[];
    readonly azimuth?: readonly number[];
    readonly width?: number;
    readonly depth?: number;
  };
  readonly output: readonly (Record<
    'waypoint' | 'longitude' | 'latitude' | 'level' | 'age_s',
    readonly number[]
  > & {
    readonly time: string;
    readonly azimuth?: readonly number[];
    readonly width?: readonly number[];
    readonly depth?: readonly number[];
    readonly sigma_yz?: readonly number[];
    readonly area_eff?: readonly number[];
  })[];
  readonly tolerance: { readonly degrees: number; readonly hPa: number; readonly metres: number };
}

const DIRECTORY = fileURLToPath(new URL('advection/', REFERENCE));
const CASES = isPresent ? readdirSync(DIRECTORY).filter((name) => name.endsWith('.json')) : [];

const uniform: Winds = {
  sample(out, _points, count) {
    out.eastward.fill(30, 0, count);
    out.northward.fill(10, 0, count);
    out.omega.fill(0, 0, count);
    out.temperature.fill(220, 0, count);
  },
};

/** Of several cases. */
const windsOfFile = new Map<string, Promise<Winds>>();

function windsOf(met: string): Promise<Winds> | Winds {
  if (met.startsWith('constant')) return uniform;
  const winds = windsOfFile.get(met) ?? readWindsWithoutUnits(`${DIRECTORY}${met}`);
  windsOfFile.set(met, winds);
  return winds;
}

function minutes(text: string): number {
  const [count = '', unit = ''] = text.split(' ');
  return Number(count) * (unit.startsWith('hour') ? 60 : 1);
}

function sourcesOf({ source }: AdvectionCase): ExhaustSource[] {
  const { azimuth, width, depth } = source;
  return source.time.map((time, i) => ({
    timeMs: Date.parse(time),
    longitude: source.longitude[i] as number,
    latitude: source.latitude[i] as number,
    level: source.level[i] as number,
    ...(azimuth && width && depth
      ? { plume: { azimuth: azimuth[i] as number, width, depth, sigmaYz: 0 } }
      : {}),
  }));
}

const turn = (degrees: number) => Math.abs(((degrees + 540) % 360) - 180);

describe('dry advection', () => {
  test.skipIf(!isPresent)(`has ten reference cases${because}`, () => {
    expect(CASES).toHaveLength(10);
  });

  for (const name of CASES) {
    test(`reproduces ${name}`, async () => {
      const { met, params, output, tolerance, ...rest } = JSON.parse(
        readFileSync(`${DIRECTORY}${name}`, 'utf8'),
      ) as AdvectionCase;
      const winds = await windsOf(met);
      const results = advectDry(sourcesOf({ met, params, output, tolerance, ...rest }), winds, {
        timesMs: output.map(({ time }) => Date.parse(time)),
        ...(params.max_age === null ? {} : { maxAgeS: 60 * minutes(params.max_age) }),
        sedimentationPaS: params.sedimentation_rate ?? 0,
      });
      output.forEach((expected, k) => {
        const found = results[k] ?? [];
        expect(
          found.map(({ waypoint }) => waypoint),
          expected.time,
        ).toEqual(expected.waypoint);
        found.forEach(({ longitude, latitude, level, ageS, plume }, i) => {
          const where = `${expected.time}, waypoint ${expected.waypoint[i]}`;
          expect(turn(longitude - (expected.longitude[i] as number)), where).toBeLessThan(tolerance.degrees);
          expect(Math.abs(latitude - (expected.latitude[i] as number)), where).toBeLessThan(
            tolerance.degrees,
          );
          expect(Math.abs(level - (expected.level[i] as number)), where).toBeLessThan(tolerance.hPa);
          expect(ageS, where).toBeCloseTo(expected.age_s[i] as number, 6);
          if (plume === undefined) return;
          expect(Math.abs(plume.width - (expected.width?.[i] as number)), where).toBeLessThan(
            tolerance.metres,
          );
          expect(Math.abs(plume.depth - (expected.depth?.[i] as number)), where).toBeLessThan(
            tolerance.metres,
          );
          expect(turn(plume.azimuth - (expected.azimuth?.[i] as number)), where).toBeLessThan(1e-3);
          expect(plume.sigmaYz / (expected.sigma_yz?.[i] as number), where).toBeCloseTo(1, 4);
          expect(plumeArea(plume) / (expected.area_eff?.[i] as number), where).toBeCloseTo(1, 4);
        });
      });
    });
  }
});
