import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { until } from '../../../../../test/support/until.ts';
import { fleetBody, flightBody, startTrial } from './support.ts';

const { python, missing } = readTools();
const run = promisify(execFile);
const trial = await startTrial();
const address = await trial.address();
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  URL: address,
  KEY: trial.key,
};

interface Posted {
  readonly name: string;
  readonly status: number;
  readonly sent: readonly string[];
  readonly answer: Record<string, unknown[]>;
}

describe.skipIf(python === null)(
  python === null ? `skipped: ${missing.python}` : 'flights of pycontrails, posted by its users’ client',
  () => {
    const posted = new Map<string, Posted>();
    beforeAll(async () => {
      const program = fileURLToPath(new URL('./programs/post_flights.py', import.meta.url));
      const { stdout } = await run(python ?? '', [program], { env });
      for (const line of stdout.trim().split('\n')) {
        const one = JSON.parse(line) as Posted;
        posted.set(one.name, one);
      }
    });

    test.each(['sac', 'issr', 'emissions', 'cocip'])('Flight.to_dict() is accepted by %s', (model) => {
      const { status, sent, answer } = posted.get(`to_dict ${model}`) as Posted;
      expect([status, answer.flight_id]).toEqual([200, 'from pycontrails']);
      expect(sent).toEqual(expect.arrayContaining(['altitude_ft', 'callsign', 'origin_airport_icao']));
      const column =
        model === 'emissions' ? answer.nox_ei : answer[model === 'cocip' ? 'energy_forcing' : model];
      expect(column).toHaveLength(40);
    });

    test('a resampled flight is read', () => {
      expect(posted.get('resampled')).toMatchObject({ status: 200 });
      expect(posted.get('resampled')?.answer.contrail_age).toHaveLength(79);
    });

    test('a flight with its efficiency and without a type is accepted', () => {
      const { answer } = posted.get('given') as Posted;
      expect(answer.sac?.every((flag) => flag === 0 || flag === 1)).toBe(true);
    });

    test.each(['integer nanoseconds', 'blanks in times', 'numpy texts', 'extra keys'])(
      'a body with %s is accepted',
      (name) => {
        const { status, answer } = posted.get(name) as Posted;
        expect(status).toBe(200);
        expect(answer.issr).toEqual(posted.get('to_dict issr')?.answer.issr);
      },
    );
  },
);

test('a client that hangs up cancels the work, which would take far longer than this test may', async () => {
  const flights = Array.from({ length: 1000 }, (_, f) =>
    flightBody({ waypoints: 300, latitude: (f % 60) - 10, longitude: f - 170, cruiseFt: 31_000 }),
  );
  const { compute } = trial.services;
  const clientAborted = new AbortController();
  const asked = fetch(`${address}/v0/trajectory/cocip?max_age_hours=24&dt_integration_minutes=1`, {
    method: 'POST',
    headers: { 'x-api-key': trial.key, 'content-type': 'application/json' },
    body: JSON.stringify(fleetBody(flights)),
    signal: clientAborted.signal,
  });
  asked.catch(() => undefined);
  await until('a thread is busy', () => compute.state().busy > 0);
  clientAborted.abort();
  await expect(asked).rejects.toThrow();
  await until('no task is left', () => compute.state().tasks === 0);
  expect(compute.state()).toMatchObject({ busy: 0, tasks: 0, crashes: 0 });
});
