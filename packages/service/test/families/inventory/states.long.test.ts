import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Met, openMet } from '@contrails/met';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { explainLegs } from '../../../src/families/inventory/explain.ts';
import { lookForDates, planDate } from '../../../src/families/inventory/run/plan.ts';
import { closeHours } from '../../../src/families/telemetry/hours/maintenance.ts';
import { explainAirframe, reopenHour, telemetryRules } from '../../../src/families/telemetry/index.ts';
import { importAirframes } from '../../../src/inventory-store/airframes.ts';
import { type RunManifest, readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { startServer } from '../../support/server.ts';
import { importLines, openInventory, trafficLines } from './support.ts';

const DATE = '2024-02-29';
const START_MS = Date.parse(DATE);
const trial = await openInventory({ inventory: { max_age_hours: 1, shards: 1 } });
const { services, config } = trial;
const server = await startServer({ families: familyRoutes(services, config) });
const key = await server.newKey({ scopes: ['inventory', 'inventory:segments'] });
const made = openSynthetic({ name: 'demo', resolutionDeg: 10, seed: 1 });
const weathers: Met[] = [];
afterAll(async () => {
  for (const met of weathers) await met.close();
  await made.close();
  await trial.close();
});

/** From here on the weather ends at a time. */
const weatherUntil = (endMs: number) => weatherBetween(0, endMs);

async function weatherBetween(fromMs: number, endMs: number): Promise<void> {
  const source = {
    ...made,
    close: async () => {},
    async describe() {
      const { runs, ...about } = await made.describe();
      return {
        ...about,
        runs: [{ times: runs[0]?.times.filter((time) => time >= fromMs && time <= endMs) ?? [] }],
      };
    },
  };
  const met = openMet({ sources: [source], memoryBytes: 2 ** 28, threads: 1 });
  weathers.push(met);
  Object.assign(services.met, { open: async () => met });
}

const ask = (path: string) =>
  server.send({ method: 'GET', url: `/v1/inventory/${path}`, headers: { 'x-api-key': key } });

async function compute(): Promise<RunManifest> {
  await planDate(services, config, DATE, true);
  await trial.work();
  const manifest = await readRunManifest(services.store, DATE);
  if (manifest === undefined) throw new Error('no run is published');
  return manifest;
}

const state = async () =>
  (await ask(`completeness?date=${DATE}`)).json() as { state: string; message: string };

const [first, second] = (() => {
  const lines = trafficLines(START_MS, START_MS + 6 * HOUR_MS, 40);
  const address = (line: string) => /"icao_address":"(F[^"]+)"/.exec(line)?.[1] ?? '';
  const known = [...new Set(lines.map(address).filter((one) => one !== ''))].sort();
  const [typeless = '', propeller = ''] = known;
  // One aircraft says nothing of its type, another one is of a type without performance parameters.
  const edited = lines.map((line) => {
    if (address(line) === typeless) return line.replace(/,"aircraft_type_icao":"[^"]*"/, '');
    if (address(line) === propeller)
      return line.replace(/"aircraft_type_icao":"[^"]*"/, '"aircraft_type_icao":"C172"');
    return line;
  });
  const timeMs = (line: string) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? '');
  const isFirst = (line: string) => !(timeMs(line) >= START_MS + 5 * HOUR_MS);
  return [edited.filter(isFirst), edited.filter((line) => !isFirst(line))];
})();
const typeless = 'F00001';

test('a day without telemetry waits for it and says how to import some', async () => {
  expect(await planDate(services, config, DATE)).toMatchObject({
    state: 'waiting',
    message: expect.stringMatching(
      /no telemetry of 2024-02-29; import it with "contrails adsb import", and the day is computed when/,
    ),
  });
  expect((await ask(`summary?date=${DATE}`)).problem()).toMatchObject({ status: 404, reason: 'waiting' });
  expect((await ask(`completeness?date=${DATE}`)).json()).toMatchObject({ completeness: null });
});

test('what is known of legs is explained before their day is published', async () => {
  await importLines(trial, first);
  const story = { address: typeless, dayMs: START_MS, memoryMiB: 128 };
  const { legs } = await explainAirframe(services, story);
  expect(legs.map(({ outcome }) => outcome)).toContain('partial');
  expect(await explainLegs(services, config.inventory, legs)).toContainEqual({
    date: DATE,
    run_id: null,
    outcome: 'type_unknown',
    detail: expect.stringMatching(/contrails inventory airframes import/),
    message: expect.stringMatching(/^there is no telemetry of 2024-02-29/),
  });
  const excluded = { ...config.inventory, exclude_addresses: [typeless.toLowerCase()] };
  const fates = await explainLegs(services, excluded, legs);
  expect(fates.map(({ outcome }) => outcome)).toContain('excluded_by_policy');
});

test('a day without weather waits for it', async () => {
  await weatherUntil(START_MS - DAY_MS);
  expect(await planDate(services, config, DATE)).toMatchObject({
    state: 'waiting',
    message: expect.stringMatching(/no reanalysis covers 2024-02-29; .* the day is computed when it arrives/),
  });
  expect((await ask(`summary?date=${DATE}`)).problem().detail).toMatch(/no reanalysis covers 2024-02-29/);
});

test('a day with a part of its weather has the flights that end in it, and says how many wait', async () => {
  await weatherUntil(START_MS + 5 * HOUR_MS);
  const { completeness, status } = await compute();
  expect(status).toBe('provisional');
  expect(completeness.flights.computed).toBeGreaterThan(0);
  const waiting = completeness.legs.by_outcome.waiting_weather ?? 0;
  expect(waiting).toBeGreaterThan(0);
  expect((await state()).message).toContain(
    `${waiting} flights wait for weather and are computed when it arrives`,
  );
  const { rejections } = (await ask(`rejections?date=${DATE}&outcome=waiting_weather`)).json() as {
    rejections: { detail: string }[];
  };
  expect(rejections[0]?.detail).toMatch(/demo does not cover .* computed when the missing hours arrive/);
});

test('flights that waited for weather are computed when it arrives', async () => {
  const before = await readRunManifest(services.store, DATE);
  await weatherUntil(START_MS + DAY_MS);
  expect(
    await lookForDates(
      services,
      { ...config, inventory: { ...config.inventory, days_back: 3000 } },
      Date.now(),
    ),
  ).toMatchObject({
    [DATE]: 'computing',
  });
  await trial.work();
  const after = await readRunManifest(services.store, DATE);
  expect(after?.completeness.legs.by_outcome.waiting_weather).toBeUndefined();
  expect(after?.completeness.flights.computed).toBeGreaterThan(before?.completeness.flights.computed ?? 0);
});

test('the schedule looks at whole days, from the first to the last minute of today', async () => {
  const look = (nowMs: number) =>
    lookForDates(services, { ...config, inventory: { ...config.inventory, days_back: 1 } }, nowMs);
  expect(await look(START_MS + DAY_MS - 60_000)).toEqual({});
  expect(await look(START_MS + DAY_MS)).toEqual({ [DATE]: 'published' });
  expect(await look(START_MS + 2 * DAY_MS - 60_000)).toEqual({ [DATE]: 'published' });
  expect(await look(START_MS + 2 * DAY_MS)).toEqual({});
});

test('a day with a part of its telemetry says how many hours it lacks, and takes them in', async () => {
  const before = await readRunManifest(services.store, DATE);
  expect(before?.completeness.telemetry).toMatchObject({ hours_present: 5, hours_expected: 24 });
  expect((await state()).message).toMatch(/19 of 24 hours have no telemetry/);
  await importLines(trial, second);
  const after = await compute();
  expect(after.completeness.telemetry.hours_present).toBe(6);
  expect(after.completeness.minutes.in_telemetry).toBeGreaterThan(
    before?.completeness.minutes.in_telemetry ?? 0,
  );
  expect((await state()).message).toMatch(/18 of 24 hours have no telemetry/);
});

test('aircraft of unknown types stay out with the reason, until an airframe table has their type', async () => {
  const outcomes = async () => {
    const answer = await ask(`rejections?date=${DATE}&outcome=type_unknown,type_unsupported`);
    return (
      answer.json() as {
        rejections: { icao_address: string; outcome: string; codes: string[]; detail: string }[];
      }
    ).rejections;
  };
  const before = await outcomes();
  expect(before.map(({ outcome }) => outcome)).toEqual(
    expect.arrayContaining(['type_unknown', 'type_unsupported']),
  );
  expect(before.find(({ outcome }) => outcome === 'type_unknown')?.detail).toMatch(
    /have the type of F00001; import one with "contrails inventory airframes import"/,
  );
  expect(before.find(({ outcome }) => outcome === 'type_unsupported')?.detail).toMatch(/C172/);
  expect(before.map(({ outcome, codes }) => [outcome, codes])).toEqual(
    before.map(({ outcome }) => [outcome, expect.arrayContaining([outcome])]),
  );
  for (const { codes } of before) expect(codes).not.toContain('ok');
  const explained = async () => {
    const story = { address: typeless, dayMs: START_MS, memoryMiB: 128 };
    const { legs } = await explainAirframe(services, story);
    return explainLegs(services, config.inventory, legs);
  };
  const fate = { date: DATE, outcome: 'type_unknown', detail: expect.stringMatching(/F00001/) };
  const run_id = (await readRunManifest(services.store, DATE))?.run_id;
  expect(await explained()).toContainEqual({
    ...fate,
    run_id,
    message: expect.stringMatching(/^provisional/),
  });
  const path = join(await temporaryDirectory(), 'fleet.csv');
  await writeFile(path, `icao_address,aircraft_type\n${typeless},A320\n`);
  await importAirframes(services.database, path, Date.now());
  await compute();
  expect((await outcomes()).map(({ outcome }) => outcome)).not.toContain('type_unknown');
  expect((await explained()).map(({ outcome }) => outcome)).not.toContain('type_unknown');
  const flights = await ask(`rejections?date=${DATE}&outcome=ok,partial&icao_address=${typeless}`);
  expect(flights.json()).toMatchObject({
    rejections: [{ settings: { aircraft_type: 'A320' } }],
  });
});

test('an old day is provisional as long as late reports can change it, and final when its hours are closed', async () => {
  const look = () =>
    lookForDates(services, { ...config, inventory: { ...config.inventory, days_back: 1 } }, Date.now());
  const rules = telemetryRules(config.telemetry);
  const imported = await compute();
  expect(imported).toMatchObject({
    status: 'provisional',
    completeness: { telemetry: { closed: false }, weather: { final: true } },
  });
  expect((await state()).message).toMatch(
    /^provisional: .*late reports may change it until its hours of telemetry are closed$/,
  );
  expect(await look()).toEqual({});
  // One hour is reopened: the others alone do not make the day final.
  const laterMs = Date.now() + rules.closeAfterMs;
  await closeHours(services, rules, laterMs);
  await reopenHour(services, START_MS + 2 * HOUR_MS, laterMs);
  expect(await look()).toEqual({ [DATE]: 'published' });
  expect((await readRunManifest(services.store, DATE))?.run_id).toBe(imported.run_id);
  // The schedule finds the date although it is older than those that it looks at.
  await closeHours(services, rules, laterMs + rules.closeAfterMs);
  expect(await look()).toEqual({ [DATE]: 'computing' });
  await trial.work();
  expect(await readRunManifest(services.store, DATE)).toMatchObject({
    status: 'final',
    completeness: { telemetry: { closed: true }, totals: imported.completeness.totals },
  });
  expect((await state()).message).toMatch(/^final/);
  expect(await look()).toEqual({});
});

test('a day is provisional while flights of the evening before are missing', async () => {
  await importLines(trial, trafficLines(START_MS - HOUR_MS, START_MS, 40));
  const rules = telemetryRules(config.telemetry);
  await closeHours(services, rules, Date.now() + 2 * rules.closeAfterMs);
  const { open } = services.met;
  // The weather begins on the date.
  await weatherBetween(START_MS, START_MS + DAY_MS);
  expect(await compute()).toMatchObject({
    status: 'provisional',
    completeness: { telemetry: { closed: true }, weather: { final: true } },
  });
  expect((await state()).message).toContain(
    'flights of 2024-02-28 that end on this date wait for telemetry or weather',
  );
  Object.assign(services.met, { open });
  expect(await compute()).toMatchObject({ status: 'final' });
});

test('airlines and aircraft are left out in upper and in lower case', async () => {
  const flights = async (query: string) => {
    const answer = await ask(`rejections?date=${DATE}&${query}&columns=airline_iata,icao_address`);
    return (answer.json() as { rejections: { airline_iata: string; icao_address: string }[] }).rejections;
  };
  const { airline_iata: airline = '', icao_address: address = '' } =
    (await flights('outcome=ok,partial')).find((one) => one.airline_iata !== null) ?? {};
  const count = (await flights(`outcome=ok,partial&airline_iata=${airline}`)).length;
  Object.assign(config.inventory, { exclude_airlines: [airline.toLowerCase()] });
  await compute();
  expect(await flights(`outcome=ok,partial&airline_iata=${airline}`)).toEqual([]);
  expect(await flights('outcome=excluded_by_policy')).toHaveLength(count);
  Object.assign(config.inventory, { exclude_airlines: [], exclude_addresses: [address.toLowerCase()] });
  await compute();
  const excluded = await flights('outcome=excluded_by_policy');
  expect(new Set(excluded.map((one) => one.icao_address))).toEqual(new Set([address]));
  Object.assign(config.inventory, { exclude_addresses: [] });
});
