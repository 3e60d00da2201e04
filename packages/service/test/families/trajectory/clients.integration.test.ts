import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTools, repositoryRoot } from '../../../../../test/support/tools.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { fleetBody, flightBody, startTrial } from './support.ts';

const { python, missing } = readTools();
const run = promisify(execFile);
const trial = await startTrial();
const address = await trial.address();
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  CONTRAILS_URL: address,
  CONTRAILS_KEY: trial.key,
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

    test.each(['sac', 'issr', 'emissions', 'cocip'])('Flight.to_dict() to %s', (model) => {
      const { status, sent, answer } = posted.get(`to_dict ${model}`) as Posted;
      expect([status, answer.flight_id]).toEqual([200, 'from pycontrails']);
      expect(sent).toEqual(expect.arrayContaining(['altitude_ft', 'callsign', 'origin_airport_icao']));
      const column =
        model === 'emissions' ? answer.nox_ei : answer[model === 'cocip' ? 'energy_forcing' : model];
      expect(column).toHaveLength(40);
    });

    test('a resampled flight', () => {
      expect(posted.get('resampled')).toMatchObject({ status: 200 });
      expect(posted.get('resampled')?.answer.contrail_age).toHaveLength(79);
    });

    test('a flight with its efficiency and without a type', () => {
      const { answer } = posted.get('given') as Posted;
      expect(answer.sac?.every((flag) => flag === 0 || flag === 1)).toBe(true);
    });

    test.each(['integer nanoseconds', 'blanks in times', 'numpy texts', 'extra keys'])('%s', (name) => {
      const { status, answer } = posted.get(name) as Posted;
      expect(status).toBe(200);
      expect(answer.issr).toEqual(posted.get('to_dict issr')?.answer.issr);
    });
  },
);

describe('the guide', () => {
  const guide = readFileSync(join(repositoryRoot, 'docs', 'trajectory.md'), 'utf8');
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text ?? '');

  test('its curl line answers', async () => {
    const curl = blocks('sh').find((text) => text.startsWith('curl') && text.includes('"longitude"')) ?? '';
    const { stdout } = await run('sh', ['-c', curl], { env });
    expect(JSON.parse(stdout)).toMatchObject({ engine_uid: '01P08CM105', sac: [1, 1, 1, 1, null] });
  });

  test('its TypeScript draws a plot', async () => {
    const cwd = await temporaryDirectory();
    const [program = ''] = blocks('ts');
    writeFileSync(join(cwd, 'plot.ts'), program);
    const { stdout } = await run(process.execPath, ['plot.ts'], { cwd, env });
    expect(stdout).toMatch(/^\d+ lines in contrail\.svg\n$/);
    expect(readFileSync(join(cwd, 'contrail.svg'), 'utf8')).toMatch(/^<svg.*<polyline.*<\/svg>$/s);
  });

  test.skipIf(python === null)(
    python === null ? `skipped: ${missing.python}` : 'its Python asks and draws, where there is no display',
    async () => {
      const cwd = await temporaryDirectory();
      writeFileSync(join(cwd, 'plot.py'), blocks('python').slice(0, 2).join('\n'));
      const { stdout } = await run(python ?? '', ['plot.py'], { cwd, env });
      expect(stdout).toMatch(/^[\d.e+]+ J, as much as \d+ kg of CO2\n$/);
      const picture = readFileSync(join(cwd, 'contrail.png'));
      expect(picture.subarray(1, 4).toString()).toBe('PNG');
    },
  );
});

test('a client that hangs up cancels the work, which would take far longer than this test may', async () => {
  const flights = Array.from({ length: 1000 }, (_, f) =>
    flightBody({ waypoints: 300, latitude: (f % 60) - 10, longitude: f - 170, cruiseFt: 31_000 }),
  );
  const { compute } = trial.parts;
  const hangUp = new AbortController();
  const asked = fetch(`${address}/v0/trajectory/cocip?max_age_hours=24&dt_integration_minutes=1`, {
    method: 'POST',
    headers: { 'x-api-key': trial.key, 'content-type': 'application/json' },
    body: JSON.stringify(fleetBody(flights)),
    signal: hangUp.signal,
  });
  asked.catch(() => undefined);
  while (compute.state().busy === 0) await sleep(20);
  hangUp.abort();
  await expect(asked).rejects.toThrow();
  while (compute.state().tasks > 0) await sleep(20);
  expect(compute.state()).toMatchObject({ busy: 0, tasks: 0, crashes: 0 });
});
