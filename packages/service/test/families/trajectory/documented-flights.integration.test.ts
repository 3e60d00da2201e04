/** Flights of the documentation in the weather of the demo: a reader who tries one finds a contrail. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { computeResults } from '@contrails/engine/flights/compute';
import type { OutputColumn } from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { openMet } from '@contrails/met';
import { Rejected } from '@contrails/runtime/options/rejected';
import { openSynthetic } from '@contrails/testbed/weather';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../../../test/support/tools.ts';
import { EXAMPLE_FLEET, EXAMPLE_FLIGHT } from '../../../src/endpoints/example-flights.ts';
import { warmCompute } from '../../support/warm-services.ts';
import { startTrial, type Trial } from './support.ts';

type Body = Readonly<Record<string, unknown>> & { readonly time: readonly string[] };

/** Waypoints further apart are placed every minute, as the guides advise. */
const MAX_STEP_MS = 180_000;

/** Objects of a page with literal lists of positions: JSON, or JavaScript. */
function objectsOf(text: string): Body[] {
  return [...text.matchAll(/"?longitude"?: \[-?\d/g)].flatMap(({ index }) => {
    const start = text.lastIndexOf('{', index);
    for (let end = text.indexOf('}', index); end >= 0; end = text.indexOf('}', end + 1)) {
      const body = bodyIn(text.slice(start, end + 1));
      if (body !== undefined) return [body];
    }
    return [];
  });
}

/** Undefined where the text is not an object, or its lists are written as programs. */
function bodyIn(text: string): Body | undefined {
  try {
    const value = JSON.parse(JSON.stringify(runInNewContext(`(${text})`, {}, { timeout: 1000 }))) as Body;
    return Array.isArray(value.time) && 'altitude' in value ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Tables of waypoints. */
function tablesOf(text: string): Body[] {
  return [
    ...text.matchAll(/^flight_id,time,longitude,latitude,altitude,aircraft_type\n((?:.+,.+\n)+)/gm),
  ].map(([, lines = '']) => {
    const rows = lines
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const column = (k: number) => rows.map((row) => row[k] ?? '');
    return {
      time: column(1),
      longitude: column(2).map(Number),
      latitude: column(3).map(Number),
      altitude: column(4).map(Number),
      aircraft_type: column(5)[0],
    };
  });
}

const pages = globSync(['README.md', 'docs/*.md', 'packages/*/README.md'], { cwd: repositoryRoot });
const documented = pages.flatMap((page) => {
  const text = readFileSync(join(repositoryRoot, page), 'utf8');
  return [...objectsOf(text), ...tablesOf(text)].map(
    (body, k) => [`${page}, flight ${k + 1}`, body] as const,
  );
});
const files = ['flight.json', 'long-flight.json'].map((name) => {
  const path = `docs/examples/${name}`;
  return [path, JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as Body] as const;
});
/** Lists that guides write as programs. */
const along = Array.from({ length: 106 }, (_, i) => i / 105);
const programs = [
  [
    'docs/trajectory.md, the long flight of its programs',
    {
      longitude: along.map((share) => -58 + 30 * share),
      latitude: along.map((share) => 40 + 11 * share),
      altitude: along.map(() => 33_000),
      time: along.map((_, i) => new Date((1_709_190_000 + 120 * i) * 1000).toISOString()),
      aircraft_type: 'A320',
    },
  ],
] as const;

describe('flights of the documentation', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial(1);
  });

  /** Minutes of contrail and energy of each flight. */
  async function contrailsOf(body: Body): Promise<{ readonly minutes: number; readonly joules: number }[]> {
    const times = body.time.map((time) => Date.parse(time));
    const isSparse =
      times.some((ms, i) => ms - (times[i - 1] ?? ms) > MAX_STEP_MS) && !Array.isArray(body.flight_id);
    const answer = await trial.post(`cocip${isSparse ? '?resample=60' : ''}`, body);
    expect(answer.status).toBe(200);
    const { contrail_age, energy_forcing, flight_id } = answer.json<{
      contrail_age: number[];
      energy_forcing: number[];
      flight_id: unknown;
    }>();
    const ids = Array.isArray(body.flight_id) ? body.flight_id : contrail_age.map(() => flight_id);
    return [...new Set(ids)].map((id) => {
      const own = contrail_age
        .keys()
        .filter((i) => ids[i] === id)
        .toArray();
      return {
        minutes: own.reduce((sum, i) => sum + (contrail_age[i] ?? 0), 0),
        joules: own.reduce((sum, i) => sum + (energy_forcing[i] ?? 0), 0),
      };
    });
  }

  test('are found in its pages', () => {
    const count = (page: string) => documented.filter(([name]) => name.startsWith(page)).length;
    expect(count('docs/tutorial-flight.md')).toBe(1);
    expect(count('packages/client/README.md')).toBeGreaterThanOrEqual(1);
    expect(count('docs/trajectory.md')).toBeGreaterThanOrEqual(4);
    expect(count('docs/research.md')).toBeGreaterThanOrEqual(1);
  });

  test.each([
    ...documented,
    ...files,
    ...programs,
    ['the flight of the API page', EXAMPLE_FLIGHT],
    ['the fleet of the API page', EXAMPLE_FLEET],
  ] as (readonly [string, Body])[])('leave contrails: %s', async (_, body) => {
    for (const { minutes, joules } of await contrailsOf(body)) {
      expect(minutes).toBeGreaterThan(0);
      expect(joules).not.toBe(0);
    }
  });

  test('leave the same contrails at every hour and date that they are tried at', async () => {
    const [expected] = await contrailsOf(EXAMPLE_FLIGHT);
    for (const clock of ['2024-03-01T00:59Z', '2026-07-14T23:30Z', '2031-12-31T12:00Z']) {
      const ages = await columnAt(clock, 'cocip', 'contrail_age');
      expect([clock, ages.reduce((sum, age) => sum + age, 0)]).toEqual([clock, expected?.minutes]);
    }
  });

  test('cross the same humid air at every hour of a day and on 24 dates of a year', async () => {
    for (let i = 0; i < 24; i++) {
      const clock = new Date(Date.UTC(2027, Math.floor(i / 2), 1 + 14 * (i % 2), i, 7 * i)).toISOString();
      expect([clock, ...(await columnAt(clock, 'issr', 'issr'))]).toEqual([clock, 0, 1, 1, 1, 1]);
    }
  });
});

/** What a model computes of the flight of the API page when it is asked at some time. */
async function columnAt(clock: string, model: 'cocip' | 'issr', column: OutputColumn): Promise<number[]> {
  const fleet = readFleet(EXAMPLE_FLIGHT, needsOf(model, []));
  if (fleet instanceof Rejected) throw new Error('the flight is valid');
  const request = { model, fleet, options: DEFAULT_TRAJECTORY_OPTIONS, unitWarnings: [] } as const;
  const source = openSynthetic({ name: 'demo', resolutionDeg: 1, now: () => Date.parse(clock) });
  const met = openMet({ sources: [source], memoryBytes: 2 ** 30 });
  const services = { met: { open: async () => met }, compute: warmCompute };
  const { result } = await computeResults(services, request, {}).finally(() => met.close());
  return [...(result.columns[column] ?? [])];
}
