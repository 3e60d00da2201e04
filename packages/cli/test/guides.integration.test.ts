import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools, repositoryRoot } from '../../../test/support/tools.ts';
import { PROGRAM, type Running, start, startProgram } from './support/contrails.ts';

/** The guides as a user follows them: block after block, against the service and the program. */
const GUIDES = ['trajectory', 'grids', 'forecast'];

const { python, missing } = readTools();
/** A coarse atmosphere and a small forecast are quickly made. */
const SMALL = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 5 }]),
  CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
  CONTRAILS_FORECAST__HOURS: '12',
  CONTRAILS_SERVER__MAX_EVENT_LOOP_DELAY_MS: '60000',
};
const HOUR_MS = 3_600_000;
/** Of the guide's users every program is found; a refused request is a fault, but for jobs that have not ended or have. */
const AS_USERS_HAVE_IT = `
set -e
npx() { shift; "$NODE" "$PROGRAM" "$@"; }
curl() { case "$*" in */v0/jobs/*) command curl "$@";; *) command curl --fail-with-body "$@";; esac; }
`;

const folder = mkdtempSync(join(tmpdir(), 'contrails guides '));
let server: Running;
let environment: Record<string, string>;

beforeAll(async () => {
  const data = join(folder, 'served');
  server = start(['serve', '--demo', '--data', data, '--port', '0'], { env: SMALL });
  const [, url = ''] = await server.line(/^contrails is ready at (http:\S+)\n/m);
  const [, key = ''] = await server.line(/^demo key: +(\S+)$/m);
  const time = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13);
  environment = {
    ...SMALL,
    URL: url,
    KEY: key,
    TIME: time,
    CONTRAILS_DATA: join(folder, 'own'),
    NODE: process.execPath,
    PROGRAM,
  };
  const isPublished = async () => {
    const answer = await fetch(`${url}/v1/regions?time=${time}&flight_level=350`, {
      headers: { 'x-api-key': key },
    });
    await answer.body?.cancel();
    return answer.ok;
  };
  while (!(await isPublished())) await sleep(200);
}, 120_000);

afterAll(async () => {
  server.kill('SIGKILL');
  await server.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Joined, because each goes on where the one before it ended; what only sets address and key is done already. */
function blocksOf(guide: string, language: string): string {
  const text = readFileSync(join(repositoryRoot, 'docs', `${guide}.md`), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  const found = blocks.map(([, block = '']) => block).filter((block) => !block.startsWith('export '));
  expect(found).not.toEqual([]);
  return found.join('\n');
}

async function follow(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startProgram(command, args, { cwd: folder, env: environment }).ended;
  expect(code, stderr.slice(-2000)).toBe(0);
  return stdout;
}

describe.each(GUIDES)('docs/%s.md', (guide) => {
  test('its commands', async () => {
    await follow('sh', ['-c', `${AS_USERS_HAVE_IT}${blocksOf(guide, 'sh')}`]);
  });

  test.skipIf(python === null)(
    python === null ? `its Python (skipped: ${missing.python})` : 'its Python',
    async () => {
      writeFileSync(join(folder, `${guide}.py`), blocksOf(guide, 'python'));
      await follow(python ?? '', [`${guide}.py`]);
    },
  );
});

test.skipIf(python === null)(
  python === null
    ? `the plot of flights in Python (skipped: ${missing.python})`
    : 'the plot of flights in Python is a picture, also where there is no display',
  () => {
    expect(readFileSync(join(folder, 'contrail.png')).subarray(1, 4).toString()).toBe('PNG');
  },
);

test('the plot of flights in TypeScript', async () => {
  writeFileSync(join(folder, 'plot.ts'), blocksOf('trajectory', 'ts'));
  expect(await follow(process.execPath, ['plot.ts'])).toMatch(/^\d+ lines in contrail\.svg\n$/);
  expect(readFileSync(join(folder, 'contrail.svg'), 'utf8')).toMatch(/^<svg.*<polyline.*<\/svg>$/s);
});
