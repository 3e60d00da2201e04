import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import { DAY_MS, HOUR_MS, isoDate, MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hoursOfForecast } from '../../../test/support/live-service.ts';
import { readTools, repositoryRoot } from '../../../test/support/tools.ts';
import { until } from '../../../test/support/until.ts';
import { EXAMPLE_FLIGHT } from '../../service/src/endpoints/example-flights.ts';
import { contrails, type Ended, type Running, start, startProgram } from './support/contrails.ts';
import { answerCommands, type ShellCommands, WITH_CONTRAILS } from './support/shell.ts';

/** The guides as a user follows them: block after block, against the service and the program. */
const GUIDES = [
  'quick-start',
  'trajectory',
  'planning',
  'routes',
  'climate',
  'research',
  'grids',
  'forecast',
  'telemetry',
  'live',
  'observations',
  'tutorial-flight',
  'tutorial-planning',
  'tutorial-weather',
  'tutorial-receiver',
  'python',
  'troubleshooting',
];
/** These need telemetry that is published. */
const OF_TELEMETRY = ['telemetry', 'tutorial-receiver', 'python'];
/** These need the first cycle of the live sky. */
const OF_LIVE = ['live', 'tutorial-receiver'];

const { python, missing } = readTools();
/** Yesterday, or the day before while reports of yesterday's last hour may still come; all of it has telemetry. */
const dayMs = Math.floor((Date.now() - 2 * HOUR_MS) / DAY_MS - 1) * DAY_MS;
const day = isoDate(dayMs);
const hoursSinceDay = Math.floor((Date.now() - dayMs) / HOUR_MS);
/** The last frame of which telemetry is complete in spite of its lateness, and how long ago it was. */
const frameMs = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS - FRAME_STEP_MS;
const minutesSinceFrame = Math.ceil((Date.now() - frameMs) / MINUTE_MS);
/** A coarse atmosphere and a small forecast are quickly made. */
const SMALL = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
  CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
  CONTRAILS_FORECAST__LEVELS_PER_JOB: '18',
  CONTRAILS_FORECAST__HOURS: '1',
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
  CONTRAILS_TELEMETRY__SOURCES: JSON.stringify([
    {
      name: 'synthetic',
      kind: 'synthetic',
      legs_per_day: 20,
      backfill: `${hoursSinceDay}h`,
      lateness: '55min',
    },
  ]),
};
/**
 * The hours up to the current one and the last frames are enough for the guides; the inventory is computed when its guide is
 * followed.
 */
const SERVED = {
  ...SMALL,
  CONTRAILS_LIVE__ENABLED: 'true',
  CONTRAILS_OBSERVATIONS__SOURCES: JSON.stringify([
    {
      name: 'synthetic',
      kind: 'synthetic',
      satellite: 'goes-east',
      backfill: `${minutesSinceFrame + 10}min`,
    },
  ]),
  CONTRAILS_FORECAST__HOURS: String(hoursOfForecast() - 1),
  CONTRAILS_INVENTORY__SCHEDULE: 'off',
  CONTRAILS_INVENTORY__MAX_AGE_HOURS: '2',
  CONTRAILS_INVENTORY__SHARDS: '2',
  CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
};
/** Of the guide's users every program is found; a refused request is a fault, but for jobs that have not ended or have. */
const AS_USERS_HAVE_IT = `${WITH_CONTRAILS}
curl() { case "$*" in */v0/jobs/*) command curl "$@";; *) command curl --fail-with-body "$@";; esac; }
`;

/** A fresh checkout has no weather: `--demo` makes it. Only grids of it take too long, and are made of the coarse one. */
const AS_IN_A_CHECKOUT = `${AS_USERS_HAVE_IT}
npx() {
  case "$2" in
    forecast | grid) (
      ${Object.entries(SMALL)
        .map(([name, value]) => `export '${name}=${value}'`)
        .join('\n')}
      "$@"
    );;
    *) "$@";;
  esac
}
`;

const folder = mkdtempSync(join(tmpdir(), 'contrails guides '));
let commands: ShellCommands;
let server: Running;
let environment: Record<string, string>;
let inCheckout: Record<string, string>;

beforeAll(async () => {
  commands = await answerCommands();
  const data = join(folder, 'served');
  server = start(['serve', '--demo', '--data', data, '--port', '0'], { env: SERVED });
  const [, url = ''] = await server.line(/^contrails is ready at (http:\S+)\n/m);
  const [, key = ''] = await server.line(/^demo key: +(\S+)$/m);
  const time = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13);
  inCheckout = {
    URL: url,
    KEY: key,
    TIME: time,
    DAY: day,
    RUN: `${day}T00`,
    FRAME: new Date(frameMs).toISOString().slice(0, 16),
    CONTRAILS_DATA: join(folder, 'own'),
    ...commands.environment,
  };
  environment = { ...SMALL, ...inCheckout };
  for (const name of ['docs', 'node_modules']) symlinkSync(join(repositoryRoot, name), join(folder, name));
  const isPublished = async () => {
    const answer = await fetch(`${url}/v1/regions?time=${time}&flight_level=350`, {
      headers: { 'x-api-key': key },
    });
    await answer.body?.cancel();
    return answer.ok;
  };
  await until('the current hour is published', isPublished, { seconds: 400, pauseMs: 200 });
}, 480_000);

afterAll(async () => {
  commands.close();
  server.kill('SIGKILL');
  await server.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * The blocks of a page; what only sets address and key is done already. `npm start` is how the service of these tests runs,
 * `npm test` is what runs them.
 */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(repositoryRoot, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  return blocks.map(([, block = '']) => block).filter((block) => !/^(export|npm) /.test(block));
}

/** Joined, because each block goes on where the one before it ended. */
const allBlocksOf = (guide: string, language: string) => blocksOf(`docs/${guide}.md`, language).join('\n');

function follow(command: string, args: readonly string[], env = environment): Promise<string> {
  return outputOf(startProgram(command, args, { cwd: folder, env }).ended);
}

function run(args: readonly string[], env: Record<string, string>): Promise<string> {
  return outputOf(contrails(args, { cwd: folder, env }));
}

async function outputOf(ended: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await ended;
  expect(code, stderr.slice(-2000)).toBe(0);
  return stdout;
}

describe('README.md', () => {
  const blocks = blocksOf('README.md', 'sh');
  const lasting = /^npx contrails (serve|worker)\b/;

  test('has commands that work as written', { timeout: 900_000 }, async () => {
    const ending = blocks.filter((block) => !lasting.test(block));
    const said = await follow('sh', ['-c', `${AS_IN_A_CHECKOUT}${ending.join('\n')}`], inCheckout);
    expect(said).toMatch(/"energy_forcing":\[\d/);
  });

  test.each(blocks.filter((block) => lasting.test(block)))('is ready after %s', async (block) => {
    const [, , ...args] = block.replace(/#.*/, '').trim().split(/\s+/);
    const free = args.includes('--port') ? ['--port', '0'] : [];
    const running = start([...args, ...free], { cwd: folder, env: inCheckout });
    await running.line(/ is ready/);
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });

  test('has shell completion that works as written', async () => {
    const script = `${AS_IN_A_CHECKOUT}${blocksOf('README.md', 'bash').join('\n')}\ncomplete -p contrails`;
    expect(await follow('bash', ['-c', script], inCheckout)).toMatch(/contrails/);
  });
});

test('the sample flight is the example of the API page', () => {
  const text = readFileSync(join(repositoryRoot, 'docs/examples/flight.json'), 'utf8');
  expect(JSON.parse(text)).toEqual(EXAMPLE_FLIGHT);
});

describe.each(GUIDES)('docs/%s.md', (guide) => {
  beforeAll(async () => {
    const { URL: url, KEY: key = '', FRAME: frame } = inCheckout;
    const paths = [
      ...(OF_TELEMETRY.includes(guide) ? [`/v1/adsb/telemetry?date=${day}T23`] : []),
      ...(OF_LIVE.includes(guide) ? ['/v1/live/summary'] : []),
      ...(guide === 'observations'
        ? [`/v1/observations/provider-a/source-a/L1/detections?time=${frame}`]
        : []),
    ];
    for (const path of paths) {
      const isPublished = async () =>
        (await fetch(`${url}${path}`, { method: 'HEAD', headers: { 'x-api-key': key } })).ok;
      await until(`${path} is published`, isPublished, { seconds: 300, pauseMs: 500 });
    }
  }, 320_000);

  test('has commands that work as written', async () => {
    const commands = allBlocksOf(guide, 'sh');
    expect(commands).not.toBe('');
    await follow('sh', ['-c', `${AS_USERS_HAVE_IT}${commands}`]);
  });

  if (allBlocksOf(guide, 'ts') !== '') {
    test('has TypeScript that works as written', async () => {
      writeFileSync(join(folder, `guide-${guide}.ts`), allBlocksOf(guide, 'ts'));
      expect(await follow(process.execPath, [`guide-${guide}.ts`])).not.toBe('');
    });
  }

  if (allBlocksOf(guide, 'python') === '') return;

  test.skipIf(python === null)(
    python === null
      ? `has Python that works as written (skipped: ${missing.python})`
      : 'has Python that works as written',
    async () => {
      // Not by the name of the page, which may be that of a module.
      writeFileSync(join(folder, `guide-${guide}.py`), allBlocksOf(guide, 'python'));
      await follow(python ?? '', [`guide-${guide}.py`]);
    },
  );
});

test.skipIf(python === null)(
  'the notebook docs/examples/research.ipynb runs from top to bottom',
  async () => {
    const text = readFileSync(join(repositoryRoot, 'docs/examples/research.ipynb'), 'utf8');
    const { cells } = JSON.parse(text) as {
      cells: { cell_type: string; source: string[]; outputs?: unknown[] }[];
    };
    const code = cells.filter(({ cell_type }) => cell_type === 'code');
    expect(code.every(({ outputs }) => outputs?.length === 0)).toBe(true);
    const program = code.map(({ source }) => source.join('')).join('\n\n');
    writeFileSync(join(folder, 'notebook-research.py'), program);
    const said = await follow(python ?? '', ['notebook-research.py'], { ...environment, MPLBACKEND: 'Agg' });
    expect(said).toMatch(/30 minutes 20 hours none/);
    expect(said).toMatch(/[1-9]\d* rows, [1-9]\d* steps/);
    expect(readFileSync(join(folder, 'research.png')).subarray(1, 4).toString()).toBe('PNG');
  },
);

describe('docs/inventory.md', () => {
  beforeAll(async () => {
    await run(['inventory', 'run', '--date', day], { ...SERVED, CONTRAILS_DATA: join(folder, 'served') });
  }, 480_000);

  test('has requests that work as written', async () => {
    const requests = blocksOf('docs/inventory.md', 'sh').filter((block) => block.includes('curl'));
    expect(requests).toHaveLength(2);
    // Where the weather of the service is configured, and its data are.
    const served = { ...environment, ...SERVED, CONTRAILS_DATA: join(folder, 'served') };
    await follow('sh', ['-c', `${AS_USERS_HAVE_IT}${requests.join('\n')}`], served);
    expect(readFileSync(join(folder, 'flight.parquet')).subarray(0, 4).toString()).toBe('PAR1');
  });

  test('has TypeScript that works as written', async () => {
    writeFileSync(join(folder, 'guide-inventory.ts'), allBlocksOf('inventory', 'ts'));
    expect(await follow(process.execPath, ['guide-inventory.ts'])).toMatch(/\d bytes/);
  });

  test.skipIf(python === null)(
    python === null
      ? `has Python that works as written (skipped: ${missing.python})`
      : 'has Python that works as written',
    async () => {
      writeFileSync(join(folder, 'guide-inventory.py'), allBlocksOf('inventory', 'python'));
      expect(await follow(python ?? '', ['guide-inventory.py'])).toContain('sum_ef_mj');
    },
  );
});

test('docs/operations.md creates, changes and revokes a key as written', async () => {
  const [block = ''] = blocksOf('docs/operations.md', 'sh').filter((one) => one.includes('keys create'));
  const [create = '', ...rest] = block.split('\n');
  const own = { ...environment, CONTRAILS_DATA: join(folder, 'keys') };
  await follow('sh', ['-c', `${AS_USERS_HAVE_IT}${create}`], own);
  const listed = await run(['keys', 'list', '--json'], own);
  const [{ id }] = JSON.parse(listed) as [{ id: string }];
  const commands = rest.join('\n').replaceAll(/\bID\b/g, id);
  expect(await follow('sh', ['-c', `${AS_USERS_HAVE_IT}${commands}`], own)).toContain('flight planning');
});

test.skipIf(python === null)(
  python === null
    ? `the plot of flights in Python (skipped: ${missing.python})`
    : 'the plot of flights in Python is a picture, also where there is no display',
  () => {
    expect(readFileSync(join(folder, 'contrail.png')).subarray(1, 4).toString()).toBe('PNG');
  },
);

test('every flight of docs/trajectory.md leaves a contrail in the demo weather', {
  timeout: 480_000,
}, async () => {
  const files = blocksOf('docs/trajectory.md', 'sh').flatMap((block) => [
    ...block.matchAll(/^cat > (\S+\.json) <<'END'\n(.*?)^END$/gms),
  ]);
  expect(files.map(([, name]) => name)).toEqual(['flight.json', 'fleet.json']);
  const lines = files.map(([, , body = '']) => JSON.stringify(JSON.parse(body)));
  writeFileSync(join(folder, 'flights.ndjson'), lines.join('\n'));
  const args = ['trajectory', 'cocip', 'flights.ndjson', '--demo'];
  const answers = (await run(args, inCheckout)).trimEnd().split('\n');
  const oldest = new Map<unknown, number>();
  for (const [k, line] of answers.entries()) {
    const answer: { flight_id: unknown; contrail_age: number[] } = JSON.parse(line);
    answer.contrail_age.forEach((minutes, i) => {
      const flight = `${k} ${Array.isArray(answer.flight_id) ? answer.flight_id[i] : answer.flight_id}`;
      oldest.set(flight, Math.max(oldest.get(flight) ?? 0, minutes));
    });
  }
  expect(oldest.size).toBe(3);
  for (const minutes of oldest.values()) expect(minutes).toBeGreaterThan(120);
});

test('the TypeScript example plots its flights', () => {
  expect(readFileSync(join(folder, 'contrail.svg'), 'utf8')).toMatch(/^<svg.*<polyline.*<\/svg>$/s);
});
