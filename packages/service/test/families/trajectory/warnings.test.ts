import type { FlightWarnings } from '@contrails/engine/flights/warnings';
import { warningsOf } from '@contrails/engine/flights/warnings';
import { describe, expect, test } from 'vitest';
import { fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();
/** Through air in which contrails persist, with legs of 76 km. */
const COARSE = {
  ...flightBody({
    waypoints: 20,
    latitude: 40,
    longitude: -180,
    stepS: 240,
    eastward: 0.9,
    cruiseFt: 33_000,
  }),
  aircraft_type: 'B738',
};

interface Answer {
  readonly energy_forcing: readonly number[];
  readonly initially_persistent: readonly number[];
  readonly warnings?: readonly string[];
}

async function ask(path: string, body: object) {
  const answer = await trial.post(path, body);
  expect(answer.status).toBe(200);
  const header = answer.headers['contrails-warnings'];
  return {
    warnings: header === undefined ? [] : (JSON.parse(String(header)) as string[]),
    header: String(header),
    answer: answer.json<Answer>(),
  };
}

describe('legs too long for the model', () => {
  test('are reported in a header, with their number and the remedy', async () => {
    const { warnings, answer } = await ask('cocip', { ...COARSE, flight_id: 'Œ 1' });
    const lasting = answer.initially_persistent.filter((flag) => flag === 1).length;
    expect(new Set(answer.energy_forcing)).toEqual(new Set([0]));
    expect(warnings).toEqual([
      '19 segments of flight "Œ 1": longer than 40 km, which the model does not follow, so the energy forcing there is 0 ' +
        `(a contrail persists at ${lasting} of them); add resample=60 to the request (--resample 60 on the command line)`,
    ]);
  });

  test('are reported in plain characters, which every client reads', async () => {
    const { header } = await ask('cocip', { ...COARSE, flight_id: 'Œ 1' });
    expect(header).toMatch(/^[\x20-\x7e]*\\u0152 1[\x20-\x7e]*$/);
  });

  test('are reported in the body where it has more than its fixed fields', async () => {
    const [plain, more] = [await ask('cocip', COARSE), await ask('cocip?include=co2e', COARSE)];
    expect('warnings' in plain.answer).toBe(false);
    expect(more.answer.warnings).toEqual(more.warnings);
  });

  test('of many flights are reported by a few names and a number', async () => {
    const { warnings } = await ask('cocip', fleetBody(Array.from({ length: 9 }, () => COARSE)));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^\d+ segments .*\(flight 0: \d+, flight 1: \d+, flight 2: \d+, flight 3: \d+, flight 4: \d+, and 4 more flights\): /,
      ),
    ]);
  });

  test('are reported also where no contrail begins: one may form in between', async () => {
    const { warnings, answer } = await ask('cocip', {
      ...COARSE,
      altitude: COARSE.altitude.map(() => 17_000),
    });
    expect(answer.initially_persistent).not.toContain(1);
    expect(warnings.join()).toMatch(/^19 segments: longer than 40 km/);
  });

  test.each(['sac', 'issr', 'emissions'])('do not matter to %s', async (model) => {
    expect((await ask(model, COARSE)).warnings).toEqual([]);
  });
});

test('short legs need no warning', async () => {
  const fine = flightBody({ waypoints: 20, latitude: 40, longitude: -180, cruiseFt: 33_000 });
  expect((await ask('cocip?include=met', { ...fine, aircraft_type: 'B738' })).warnings).toEqual([]);
});

test('no blend of fuels is beyond what was measured', async () => {
  const fine = flightBody({ waypoints: 20, latitude: 40, longitude: -180, cruiseFt: 33_000 });
  const saf = { ...fine, aircraft_type: 'B738', fuel: 'SAF', saf_blend_pct: 100 };
  expect((await ask('emissions', saf)).warnings).toEqual([]);
});

const counted = (of: Partial<FlightWarnings>): FlightWarnings => ({
  notes: [],
  windless: 0,
  longSegments: 0,
  longLasting: 0,
  tooFew: 0,
  tooFast: 0,
  tooSlow: 0,
  fastestMS: 0,
  cutShort: 0,
  weatherEndMs: 0,
  ...of,
});

test('a warning about several flights is reported once', () => {
  const flights = ['a', 'b'].map((id) => ({ id }));
  const said = [counted({ notes: ['x', 'y'] }), counted({ notes: ['y'] })];
  expect(warningsOf({ attributes: flights, flightId: ['a', 'b'] }, said)).toEqual(['x', 'y']);
});

test('each end of weather is reported by itself', () => {
  const cut = (cutShort: number, iso: string) => counted({ cutShort, weatherEndMs: Date.parse(iso) });
  const flights = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const [early, late] = ['2024-02-29T06:00:00Z', '2024-02-29T12:00:00Z'] as const;
  const warnings = warningsOf({ attributes: flights, flightId: ['a', 'b', 'c', 'd'] }, [
    cut(3, late),
    cut(1, early),
    cut(0, early),
    cut(2, late),
  ]);
  expect(warnings).toEqual([
    expect.stringMatching(
      `^5 contrails \\(flight a: 3, flight d: 2\\): still there when .* ends at ${late},`,
    ),
    expect.stringMatching(`^1 contrail of flight b: still there when the weather ends at ${early},`),
  ]);
});

test('contrails that live at times without radiation are reported', () => {
  const flights = ['a', 'b'].map((id) => ({ id }));
  expect(
    warningsOf({ attributes: flights, flightId: ['a', 'b'] }, [counted({ withoutForcing: 3 }), counted({})]),
  ).toEqual([
    expect.stringMatching(/^3 contrails of flight a: alive at times for which the weather has no radiation/),
  ]);
});
