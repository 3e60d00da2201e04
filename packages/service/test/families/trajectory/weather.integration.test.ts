import { openCompute } from '@contrails/engine/compute';
import { computeTrajectories } from '@contrails/engine/flights/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { needsOf } from '@contrails/engine/flights/needs';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { planWeather } from '@contrails/engine/flights/plan-weather';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { toJson } from '@contrails/formats/json/writer';
import { type Met, openMet } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, describe, expect, test } from 'vitest';
import { type FlightBody, fleetBody, flightBody } from './support.ts';

const MEBIBYTE = 2 ** 20;
const compute = openCompute({ threads: 2, maxQueue: 10 });
afterAll(() => compute.close());

async function openWeather(memoryMib: number, resolutionDeg = 5): Promise<Met> {
  const source = openSynthetic({ name: 'made', resolutionDeg, seed: 1 });
  const met = openMet({ sources: [source], memoryBytes: memoryMib * MEBIBYTE, threads: 2 });
  afterAll(() => met.close());
  return met;
}

const OPTIONS = { ...DEFAULT_TRAJECTORY_OPTIONS, includes: ['met', 'contrail'] as const, maxAgeHours: 3 };

function fleetOf(flights: readonly FlightBody[]): RequestFleet {
  return readFleet(fleetBody(flights), needsOf('cocip', [])) as RequestFleet;
}

const compute3h = (met: Met, fleet: RequestFleet, signal?: AbortSignal) =>
  computeTrajectories(
    { met: { open: async () => met }, compute },
    { model: 'cocip', fleet, options: OPTIONS, unitWarnings: [] },
    { signal },
  );
const ask = async (...given: Parameters<typeof compute3h>) => (await compute3h(...given)).answer;

const FAR_APART = [-150, -60, 45, 105].map((longitude) =>
  flightBody({ waypoints: 20, longitude, latitude: 40, stepS: 120, eastward: 0.4, cruiseFt: 31_000 }),
);

test('flights take memory by their number, and leave it also when they fail', async () => {
  const met = await openWeather(512);
  const taken: [string, number][] = [];
  let held = 0;
  const reserve = async (owner: string, bytes: number) => {
    taken.push([owner, bytes]);
    held += 1;
    const release = () => {
      held -= 1;
    };
    return { bytes, grow: () => {}, release };
  };
  const run = (fleet: RequestFleet, signal?: AbortSignal) =>
    computeTrajectories(
      { met: { open: async () => met }, compute, reserve },
      { model: 'cocip', fleet, options: OPTIONS, unitWarnings: [] },
      { signal },
    );
  await run(fleetOf(FAR_APART.slice(0, 1)));
  await run(fleetOf(FAR_APART.slice(0, 2)));
  await expect(run(fleetOf(FAR_APART), AbortSignal.abort(new Error('enough')))).rejects.toThrow();
  const [[owner, one], [, two]] = taken as [[string, number], [string, number]];
  expect([owner, two / one, held]).toEqual(['flights', 2, 0]);
});

describe('a run that is replaced after flights were given to it', () => {
  const nowMs = Date.parse('2024-02-29T07:30:00Z');
  const flights = FAR_APART.map((flight) => ({ ...flight, time: flight.time.map(shifted) }));
  /** The flights depart after the newest run began. */
  function shifted(time: string): string {
    return new Date(nowMs + Date.parse(time) - Date.parse(FAR_APART[0]?.time[0] ?? '')).toISOString();
  }

  /** Weather that has the older of two runs until it is opened for the first time. */
  async function openReplaced(memoryMib: number, isReplacedAtOnce = false) {
    const made = openSynthetic({ name: 'made', resolutionDeg: 5, seed: 1, now: () => nowMs });
    let isReplaced = isReplacedAtOnce;
    const source = {
      ...made,
      async describe() {
        const about = await made.describe();
        return { ...about, runs: about.runs.slice(-2).slice(...(isReplaced ? [1] : [0, 1])) };
      },
    };
    const met = openMet({ sources: [source], memoryBytes: memoryMib * MEBIBYTE, threads: 2 });
    afterAll(() => met.close());
    const replacing: Met = {
      ...met,
      openWeather(...given) {
        if (!isReplaced) met.catalogue.forget(source);
        isReplaced = true;
        return met.openWeather(...given);
      },
    };
    return replacing;
  }

  test.each([512, 20])('does not fail them: they see the newer run (%i MiB)', async (memoryMib) => {
    const answer = await ask(await openReplaced(memoryMib), fleetOf(flights));
    expect(answer).toEqual(await ask(await openReplaced(512, true), fleetOf(flights)));
  });

  test('fails a request that names it', async () => {
    const met = await openReplaced(512);
    const options = { ...OPTIONS, metReferenceTimeMs: Date.parse('2024-02-29T00:00:00Z') };
    const request = { model: 'cocip', fleet: fleetOf(flights), options, unitWarnings: [] } as const;
    await expect(
      computeTrajectories({ met: { open: async () => met }, compute }, request, {}),
    ).rejects.toThrow(/no weather covers .* of the forecast of 2024-02-29T00:00Z/);
  });
});

describe('weather', () => {
  test('that ends while contrails live is reported with the time and their number', async () => {
    const endMs = Date.parse('2024-02-29T09:00:00Z');
    const made = openSynthetic({ name: 'made', resolutionDeg: 5, seed: 1 });
    const ending = {
      ...made,
      async describe() {
        const { runs, ...about } = await made.describe();
        return { ...about, runs: [{ times: runs[0]?.times.filter((time) => time <= endMs) ?? [] }] };
      },
    };
    const met = openMet({ sources: [ending], memoryBytes: 512 * MEBIBYTE, threads: 2 });
    afterAll(() => met.close());
    const { answer, warnings } = await compute3h(met, fleetOf(FAR_APART));
    const ages = Array.from(answer.contrail_age as Float64Array);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^\d+ contrails? .*: still there when the weather ends at 2024-02-29T09:00:00Z, /,
      ),
    ]);
    const whole = await compute3h(await openWeather(512), fleetOf(FAR_APART));
    const longer = Array.from(whole.answer.contrail_age as Float64Array).filter(
      (age, i) => age > (ages[i] ?? 0),
    );
    expect(longer.length).toBeGreaterThan(0);
    // One of them might have ended by itself.
    expect(Number.parseInt(warnings[0] ?? '', 10)).toBeGreaterThanOrEqual(longer.length);
    expect(whole.warnings).toEqual([]);
  });

  test('with holes leaves what depends on them unknown', async () => {
    const made = openSynthetic({ name: 'made', resolutionDeg: 5, seed: 1 });
    const holed: typeof made = {
      ...made,
      async read(window, options) {
        const field = await made.read(window, options);
        const humidity = field.variables.indexOf('specific_humidity');
        const perColumn = field.variables.length * field.level.knots.length;
        for (const slab of humidity < 0 ? [] : field.slabs) {
          for (let at = humidity; at < slab.length; at += field.variables.length) {
            const column = Math.floor(at / perColumn) % field.longitude.knots.length;
            const longitude = field.longitude.knots[column] ?? 0;
            if (longitude === 55) slab[at] = Number.NaN;
          }
        }
        return field;
      },
    };
    const met = openMet({ sources: [holed], memoryBytes: 512 * MEBIBYTE, threads: 2 });
    afterAll(() => met.close());
    const answer = await ask(met, fleetOf(FAR_APART.slice(2, 3)));
    const unknown = (name: string) => Array.from(answer[name] as Float64Array, Number.isNaN);
    // Cells have values at all their corners or none.
    const inHole = FAR_APART[2]?.longitude.map((degrees) => degrees >= 50);
    expect(inHole).toContain(true);
    expect([unknown('initially_persistent'), unknown('rhi')]).toEqual([inHole, inHole]);
    expect(unknown('sac').slice(0, -1)).toEqual(inHole?.slice(0, -1));
  });

  test('that does not fit into memory for all flights at once is seen by some of them after the other', async () => {
    const fleet = fleetOf(FAR_APART);
    const [large, small] = [await openWeather(512), await openWeather(0.5)];
    const [group] = await planWeather(small, 'cocip', fleet, OPTIONS);
    await expect(small.openWeather(group?.request ?? ({} as never))).rejects.toMatchObject({
      kind: 'too-large',
    });
    expect(String(toJson(await ask(small, fleet)))).toBe(String(toJson(await ask(large, fleet))));
  });

  test('is that of each flight by itself: one sees reanalysis, another a forecast', async () => {
    const met = await openWeather(512);
    const now = Date.now();
    const at = (hours: number) =>
      new Date(Math.floor(now / HOUR_MS) * HOUR_MS + hours * HOUR_MS).toISOString();
    const [past, future] = [at(-20), at(-1)].map((start) =>
      flightBody({ waypoints: 20, start, latitude: 45, stepS: 120, eastward: 0.4, cruiseFt: 31_000 }),
    ) as [FlightBody, FlightBody];
    const answer = await ask(met, fleetOf([past, future]));
    const first = await ask(met, fleetOf([past]));
    const second = await ask(met, fleetOf([future]));
    expect(first.met_source_forecast_time).toBeUndefined();
    expect(answer.met_source_forecast_time).toEqual([
      ...past.time.map(() => null),
      ...future.time.map(() => second.met_source_forecast_time),
    ]);
    expect(answer.energy_forcing).toEqual(
      Float64Array.from([
        ...(first.energy_forcing as Float64Array),
        ...(second.energy_forcing as Float64Array),
      ]),
    );
  });
});

test('work whose caller has gone ends', async () => {
  const met = await openWeather(512);
  const gone = new AbortController();
  const asked = ask(met, fleetOf(FAR_APART), gone.signal);
  gone.abort();
  await expect(asked).rejects.toBeInstanceOf(CancelledError);
  const late = ask(met, fleetOf(FAR_APART), AbortSignal.abort());
  await expect(late).rejects.toBeInstanceOf(CancelledError);
  expect(compute.state().tasks).toBe(0);
});
