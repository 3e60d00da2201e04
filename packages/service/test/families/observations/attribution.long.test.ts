import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FlightKey, parseFlightKey } from '@contrails/engine/attribution/flight-key';
import type { FlightResult } from '@contrails/engine/attribution/results';
import { DAY_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { because, isPresent, REFERENCE } from '../../../../observations/test/support/reference.ts';
import type { Config } from '../../../src/configuration.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { searchFlights } from '../../../src/families/observations/attribution/search.ts';
import { listRolls } from '../../../src/families/observations/attribution/table.ts';
import { importFile, telemetryRules } from '../../../src/families/telemetry/index.ts';
import { type Server, startServer } from '../../support/server.ts';
import { publishPending } from '../inventory/support.ts';
import { abiName } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const SCENE = new URL('scene-b/', REFERENCE);
const START_MS = Date.UTC(2024, 2, 7, 15);
const FRAMES = 6;

interface SceneFlight {
  readonly flight: string;
  readonly time: readonly string[];
  readonly latitude: readonly number[];
  readonly longitude: readonly number[];
  readonly altitude_m: number;
}

/** An airport for each of the scene's, which are made up. */
const AIRPORTS: Readonly<Record<string, string>> = {
  BBX: 'KJFK',
  CCX: 'KATL',
  DDX: 'KORD',
  EEX: 'KMIA',
  FFX: 'KBOS',
};
const IATA: Readonly<Record<string, string>> = {
  KJFK: 'JFK',
  KATL: 'ATL',
  KORD: 'ORD',
  KMIA: 'MIA',
  KBOS: 'BOS',
};

const airportOf = (flight: string) => AIRPORTS[flight.split('~')[3] ?? ''] ?? 'KJFK';

/** The key of a flight of the scene, as the service knows it. */
function keyOf(flight: string): string {
  const [carrier, number, date] = flight.split('~');
  return [carrier, number, date, IATA[airportOf(flight)]].join('~');
}

/** What receivers would have reported of the flights of the scene. */
function telemetryOf(flights: readonly SceneFlight[]): string {
  return flights
    .flatMap(({ flight, time, latitude, longitude, altitude_m }, k) => {
      const [carrier, number] = flight.split('~');
      return time.map((timestamp, i) =>
        JSON.stringify({
          target: {
            timestamp,
            icao_address: (0xf10000 + k).toString(16).toUpperCase(),
            collection_type: 'terrestrial',
            latitude: latitude[i],
            longitude: longitude[i],
            altitude_baro: Math.round(altitude_m / 0.3048),
            on_ground: false,
            callsign: `${carrier}${number}`,
            flight_number: `${carrier}${number}`,
            airline_iata: carrier,
            aircraft_type_icao: 'B738',
            departure_airport_icao: airportOf(flight),
            departure_scheduled_time: '2024-03-07T12:00:00Z',
            nic: 8,
            nacp: 9,
          },
        }),
      );
    })
    .join('\n');
}

describe.skipIf(!isPresent)(`attribution of a scene with known flights${because}`, () => {
  let trial: Trial;
  let server: Server;
  let key: string;
  let flights: SceneFlight[];

  beforeAll(async () => {
    const folder = await temporaryDirectory();
    for (let k = 0; k < FRAMES; k++) {
      await copyFile(new URL(`frame_0${k}.nc`, SCENE), join(folder, abiName(START_MS + k * 600_000)));
    }
    trial = await openTrial({
      observations: { sources: [{ name: 'scene', kind: 'folder', satellite: 'goes-east', path: folder }] },
      met: {
        name: 'scene',
        kind: 'netcdf',
        provider: 'test',
        dataset: 'scene',
        product: 'forecast',
        paths: [fileURLToPath(new URL('met.nc', SCENE))],
      },
    });
    flights = JSON.parse(await readFile(new URL('flights.json', SCENE), 'utf8')) as SceneFlight[];
    const path = join(folder, 'telemetry.ndjson');
    await writeFile(path, telemetryOf(flights));
    const rules = telemetryRules(trial.config.telemetry);
    await importFile(trial.services, rules, path, { source: 'scene', format: 'target_ndjson' });
    await publishPending(trial.services, rules);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    await trial.look().finally(() => vi.useRealTimers());
    await trial.work();
    await trial.work(Date.now() + 3_600_000);
    server = await startServer({ families: familyRoutes(trial.services, trial.config) });
    key = await server.newKey({ scopes: ['observations'] });
  }, 300_000);
  afterAll(() => trial.close());

  const ask = async (flight: readonly string[], more = '') =>
    server.send({
      method: 'GET',
      url: `/v1/observations/provider-b/geostationary/L4/attributions?${flight.map((one) => `flight=${encodeURIComponent(one)}`).join('&')}${more}`,
      headers: { 'x-api-key': key },
    });

  test('finds the chunks that the reference finds', async () => {
    const rolls = await listRolls(trial.services.database, 'goes-east');
    expect(rolls.map(({ timeMs }) => timeMs)).toEqual(
      Array.from({ length: FRAMES }, (_, k) => START_MS + k * 600_000),
    );
    const rows = await trial.services.database.query<{ result: string }>(
      'SELECT result FROM observation_flights',
    );
    const found = rows.flatMap(({ result }) => {
      const { details, chunks } = JSON.parse(result) as FlightResult;
      return chunks
        .filter(({ isAttributed }) => isAttributed)
        .map(({ startMs }) => ({ flight: `${details.carrier}~${details.flight_number}`, startMs }));
    });
    const expected = JSON.parse(await readFile(new URL('expected/l4.json', SCENE), 'utf8')) as {
      flight: string;
      start: string;
    }[];
    const nameOf = ({ flight }: { flight: string }) => flight.split('~').slice(0, 2).join('~');
    const shared = expected.filter((one) =>
      found.some(
        ({ flight, startMs }) =>
          flight === nameOf(one) && Math.abs(startMs - Date.parse(one.start)) <= 120_000,
      ),
    );
    expect(shared.length / expected.length).toBeGreaterThan(0.85);
    expect(shared.length / found.length).toBeGreaterThan(0.85);
  });

  test('a flight has its contrails, the images that show them, and how it was found', async () => {
    const [first, unknown, again] = [
      keyOf(flights[0]?.flight ?? ''),
      'XA~9999~2024-03-07~JFK',
      keyOf(flights[0]?.flight ?? '').toLowerCase(),
    ];
    const answer = await ask([first, unknown, again]);
    expect(answer.status).toBe(200);
    const [one, other, repeated] = answer.json<Record<string, never>[]>();
    expect(one).toMatchObject({
      flight: first,
      status: 'attributed',
      status_detail: 'attributed',
      flight_details: { carrier: 'XA', flight_number: '100', departure_airport_iata: 'JFK' },
      coverage: { satellites: ['goes-east'], frames_used: FRAMES, frames_missing: 0 },
      // The weather of the scene has neither humidity nor radiation.
      summary: { energy_forcing_J: null, cocip_energy_forcing_J: null },
      methodology: { view: 'observation', detector: 'ridge 1.0', met_source: 'scene' },
    });
    const { attributions, observations } = one as unknown as {
      attributions: Record<string, unknown>[];
      observations: { id: string; detections: { id: string }[]; image: string }[];
    };
    expect(attributions.length).toBeGreaterThan(0);
    for (const attribution of attributions) {
      expect(attribution.length_meters).toBe(attribution.length_m);
      expect(attribution.effective_energy_forcing_joules).toBeNull();
      expect(attribution.observation_ids).not.toHaveLength(0);
      for (const id of attribution.observation_ids as string[]) {
        expect(observations.map((observation) => observation.id)).toContain(id);
      }
      expect(attribution.contrail_geometry).toMatchObject({ type: 'LineString' });
    }
    const [observation] = observations;
    const image = await server.send({
      method: 'GET',
      url: observation?.image ?? '',
      headers: { 'x-api-key': key },
    });
    expect(image.status).toBe(200);
    expect(other).toEqual({
      flight: unknown,
      status: 'unknown_flight',
      status_detail: 'not_found',
      attributions: [],
      observations: [],
    });
    expect(repeated).toEqual(one);
    const { callsign, departure_date: date } = (one as unknown as { flight_details: Record<string, string> })
      .flight_details;
    const [called] = (await ask([`${callsign}~${date}~KJFK`])).json<Record<string, never>[]>();
    expect(called).toEqual({ ...one, flight: `${callsign}~${date}~KJFK` });
  });

  test('every flight of the scene is known, and says what is known of it', async () => {
    const keys = flights.slice(0, 100).map(({ flight }) => keyOf(flight));
    const answers = (await ask(keys)).json<
      {
        flight: string;
        status: string;
        status_detail: string;
        attributions: { contrail_geometry: { time: string } | null; observation_ids: string[] }[];
      }[]
    >();
    expect(answers.map(({ flight }) => flight)).toEqual(keys);
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses.has('attributed')).toBe(true);
    expect(statuses.has('unknown_flight')).toBe(false);
    for (const { attributions } of answers) {
      for (const { contrail_geometry, observation_ids } of attributions) {
        // A contrail lies where a frame shows it.
        expect(observation_ids).toContain(`goes-east/${contrail_geometry?.time}`);
      }
    }
    // Frames end while exhaust is still followed.
    expect(answers.some(({ status_detail }) => status_detail === 'pending')).toBe(true);
  });

  test('nothing is told or stored of flights that the operator leaves out, and others keep their contrails', async () => {
    const { database } = trial.services;
    const [excluded, other] = [flights[0], flights[1]].map((one) => keyOf(one?.flight ?? '')) as [
      string,
      string,
    ];
    const inventory = { ...trial.config.inventory, exclude_addresses: ['f10000'] };
    const settings: Config = { ...trial.config, inventory };
    const strict = await startServer({
      families: familyRoutes(trial.services, settings),
    });
    const strictKey = await strict.newKey({ scopes: ['observations'] });
    const query = [excluded, other].map((one) => `flight=${encodeURIComponent(one)}`).join('&');
    const url = `/v1/observations/provider-b/geostationary/L4/attributions?${query}`;
    const answers = (await strict.send({ method: 'GET', url, headers: { 'x-api-key': strictKey } })).json<
      unknown[]
    >();
    const [, known] = (await ask([excluded, other])).json<unknown[]>();
    const hidden = {
      flight: excluded,
      status: 'unknown_flight',
      status_detail: 'not_found',
      attributions: [],
      observations: [],
    };
    expect(answers).toEqual([hidden, known]);

    const { rows, rolls } = await everything();
    await forget();
    await trial.work(Date.now() + 1.3 * 3_600_000, { inventory });
    const stored = (await everything()).rows;
    expect(stored).toEqual(rows.filter((row) => !row.result.includes('"F10000"')));
    expect(stored.length).toBeLessThan(rows.length);
    expect((await everything()).rolls).toEqual(rolls);
    await forget();
    await trial.work(Date.now() + 1.6 * 3_600_000);
    expect((await everything()).rows).toEqual(rows);

    async function everything() {
      const [rows, rolls] = await Promise.all([
        database.query<{ flight_id: string; result: string }>(
          'SELECT flight_id, result FROM observation_flights ORDER BY flight_id',
        ),
        database.query('SELECT time_ms FROM observation_attribution ORDER BY time_ms'),
      ]);
      return { rows, rolls };
    }
    async function forget() {
      await database.execute('DELETE FROM observation_flights');
      await database.execute('DELETE FROM observation_attribution');
    }
  });

  test('a frame that is processed again takes attribution back to before it', async () => {
    const { database } = trial.services;
    const states = () =>
      database.query<{ time: number; edition: string; key: string }>(
        'SELECT time_ms AS time, edition, state_key AS key FROM observation_attribution ORDER BY time_ms',
      );
    const replaceEdition = (from: string, to: string) =>
      database.execute(
        'UPDATE observation_frames SET manifest = replace(manifest, $2, $3) WHERE time_ms = $1',
        [START_MS + 3 * 600_000, `"edition":"${from}`, `"edition":"${to}`],
      );
    const known = async () =>
      (await ask([keyOf(flights[0]?.flight ?? '')])).json<Record<string, unknown>[]>();
    const before = await states();
    const one = await known();
    await replaceEdition('', 'x');
    await trial.work(Date.now() + 2 * 3_600_000);
    // There may be no state before it, then all frames are taken again.
    const again = await states();
    expect(again.map(({ time }) => time)).toEqual(before.map(({ time }) => time));
    expect(again[3]?.edition).toBe(`x${before[3]?.edition}`);
    expect(await known()).toEqual(one);
    await database.execute(
      `INSERT INTO observation_attribution (satellite, time_ms, edition, state_key, updated_ms) VALUES ('goes-east', $1, '', 'observations/attribution/goes-east/gone.bin', 0)`,
      [START_MS - 600_000],
    );
    await replaceEdition('x', '');
    await trial.work(Date.now() + 3 * 3_600_000);
    const after = await states();
    expect(after.map(({ time }) => time)).toContain(START_MS - 600_000);
    expect(after.slice(1).map(({ edition }) => edition)).toEqual(before.map(({ edition }) => edition));
    // A state that is gone is made again from segments and telemetry.
    expect(await known()).toEqual(one);
  });

  test('a flight that was not followed is computed from the archive when it is asked for', async () => {
    const { database } = trial.services;
    const first = keyOf(flights[0]?.flight ?? '');
    const [before] = (await ask([first])).json<Record<string, unknown>[]>();
    await database.execute(`DELETE FROM observation_flights WHERE flight_number = '100'`);
    // As if the frames after the flight had been passed.
    await database.execute(
      `INSERT INTO observation_attribution (satellite, time_ms, edition, state_key, updated_ms) VALUES ('goes-east', $1, '', '', 0)`,
      [START_MS + DAY_MS],
    );
    const read = vi.spyOn(trial.services.store, 'read');
    const [pending] = (await ask([first])).json<Record<string, unknown>[]>();
    // Files of telemetry are left to a job.
    expect(read).not.toHaveBeenCalled();
    expect(pending).toMatchObject({ status: 'not_covered', status_detail: 'pending' });
    expect(pending?.reason).toMatch(/is being read from telemetry/);
    await trial.work(Date.now() + 4 * 3_600_000);
    const [after] = (await ask([first])).json<Record<string, unknown>[]>();
    expect(after?.attributions).toEqual(before?.attributions);
  });

  test('a flight of another airport under the same number is looked for once and not found', async () => {
    const [carrier, number, date] = keyOf(flights[1]?.flight ?? '').split('~');
    const elsewhere = `${carrier}~${number}~${date}~LAX`;
    expect((await ask([elsewhere])).json<Record<string, unknown>[]>()[0]).toMatchObject({
      status_detail: 'pending',
    });
    await trial.work(Date.now() + 5 * 3_600_000);
    expect((await ask([elsewhere])).json<Record<string, unknown>[]>()[0]).toMatchObject({
      status: 'unknown_flight',
      status_detail: 'not_found',
    });
  });

  describe('searches', () => {
    const asked = (count: number) =>
      Array.from({ length: count }, (_, k) => parseFlightKey(`XA~100~2024-03-07~${airportCode(k)}`)).flatMap(
        (one) => ('wrong' in one ? [] : [one]),
      );
    const airportCode = (k: number) => String.fromCharCode(65 + (Math.floor(k / 26) % 26), 65 + (k % 26), 88);
    const search = (keys: readonly FlightKey[], signal = new AbortController().signal) =>
      searchFlights(trial.services, { satellites: ['goes-east'], isIndexed: true }, keys, signal);
    const waiting = async () =>
      (await trial.services.jobs.list({ kind: 'observations.search', state: 'queued' })).jobs.length;

    test('are bounded, and the others may ask again', async () => {
      const outcomes = [...(await search(asked(120))).values()];
      expect(await waiting()).toBe(100);
      const reasons = outcomes.map((one) => (typeof one === 'object' && 'reason' in one ? one.reason : ''));
      expect(reasons.filter((reason) => /is being read from telemetry/.test(reason))).toHaveLength(100);
      expect(reasons.filter((reason) => /100 flights are being looked for/.test(reason))).toHaveLength(20);
      await search(asked(120));
      expect(await waiting()).toBe(100);
      for (const { id } of (await trial.services.jobs.list({ kind: 'observations.search', state: 'queued' }))
        .jobs)
        await trial.services.jobs.cancel(id);
    });

    test('end when the client has gone', async () => {
      await expect(search(asked(120), AbortSignal.abort())).rejects.toThrow(/abort/);
      expect(await waiting()).toBe(0);
    });

    test('wait for hours that are not in the index yet, and know no flight without telemetry', async () => {
      const { database } = trial.services;
      const [unknown] = ['XA~9999~2024-03-07~JFK'].map(parseFlightKey);
      if (unknown === undefined || 'wrong' in unknown) throw new Error('the key is right');
      const elsewhen = { ...unknown, date: '2024-04-07' };
      await database.execute('UPDATE telemetry_hours SET generation = generation + 1');
      expect((await search([unknown])).get(unknown.text)).toMatchObject({
        detail: 'pending',
        reason: expect.stringMatching(/is still being indexed/),
      });
      expect((await search([elsewhen])).get(unknown.text)).toBe('unknown');
      await trial.work(Date.now() + 6 * 3_600_000);
      expect((await search([unknown])).get(unknown.text)).toBe('unknown');
      await database.execute('UPDATE telemetry_hours SET generation = generation - 1');
    });
  });

  test.each([
    ['', 'missing', /flight is missing; give 1 to 100 flights as/],
    ['flight=', 'flight', /"" is not accepted: it has 1 part /],
    ['flight=XA~100~2024-03-07', 'flight', /the departure date "100"/],
    ['flight=XA~100~2024-02-30~JFK', 'flight', /the departure date "2024-02-30"/],
    [
      `flight=${Array(101).fill('XA~1~2024-03-07~JFK').join('&flight=')}`,
      'length',
      /101 values; give 1 to 100/,
    ],
  ])('%s is refused', async (query, type, message) => {
    const answer = await server.send({
      method: 'GET',
      url: `/v1/observations/google/geostationary/L4/attributions?${query}`,
      headers: { 'x-api-key': key },
    });
    expect(answer.status).toBe(400);
    expect(answer.problem().errors?.[0]).toMatchObject({ type, msg: expect.stringMatching(message) });
  });

  test('a malformed key does not fail the others, and says why', async () => {
    const many = Array.from({ length: 48 }, (_, k) => `XA~${k + 1000}~2024-03-07~JFK`);
    const answer = await ask(['nonsense', ...many, 'XA~0~2024-03-07~JFK']);
    expect(answer.status).toBe(200);
    const flights = answer.json<{ flight: string; status_detail: string; reason?: string }[]>();
    expect(flights.map(({ flight }) => flight)).toEqual(['nonsense', ...many, 'XA~0~2024-03-07~JFK']);
    expect(flights[0]).toMatchObject({ status: 'unknown_flight', status_detail: 'malformed' });
    expect(flights[0]?.reason).toMatch(/^flight "nonsense" is not accepted: it has 1 part .*, such as LX~/);
    expect(flights[49]?.reason).toMatch(/the flight number "0"/);
    expect(flights.slice(1, 49).every(({ status_detail }) => status_detail !== 'malformed')).toBe(true);
  });

  test('a request of malformed keys alone is refused with all reasons', async () => {
    const answer = await ask(['nonsense', 'XA~0~2024-03-07~JFK']);
    expect(answer.status).toBe(400);
    expect(answer.problem().errors?.map(({ loc }) => loc)).toEqual([
      ['query', 'flight', 0],
      ['query', 'flight', 1],
    ]);
  });

  test('an unknown view is refused', async () => {
    expect((await ask(['XA~100~2024-03-07~JFK'], '&view=guess')).status).toBe(400);
  });
});
