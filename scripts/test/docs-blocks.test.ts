/** Which test runs the code of the documentation. A new block in a language that runs needs an entry here. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const GUIDES = 'packages/cli/test/guides.long.test.ts';
const PACKAGES = 'scripts/test/pack.long.test.ts';
const CLIENTS = 'packages/service/test/openapi/clients.long.test.ts';
const BACKUP = 'packages/cli/test/archive.long.test.ts';
const WEATHER = 'packages/cli/test/met.integration.test.ts';
const DEVELOPERS = 'packages/service/test/developer-guides.integration.test.ts';
const INVENTORY = 'packages/service/test/families/inventory/export.integration.test.ts';
const CONFIGURATION = 'packages/service/test/config/docs.test.ts';

/** By page and language. */
const RUN_BY: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'README.md': { sh: [GUIDES], bash: [GUIDES] },
  'docs/quick-start.md': { sh: [GUIDES] },
  'docs/trajectory.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES] },
  'docs/planning.md': { sh: [GUIDES], ts: [GUIDES] },
  'docs/routes.md': { sh: [GUIDES] },
  'docs/climate.md': { sh: [GUIDES] },
  'docs/research.md': { sh: [GUIDES], python: [GUIDES] },
  'docs/grids.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES] },
  'docs/forecast.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES] },
  'docs/live.md': { sh: [GUIDES] },
  'docs/telemetry.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES] },
  'docs/inventory.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES], sql: [INVENTORY] },
  'docs/observations.md': { sh: [GUIDES], python: [GUIDES], ts: [GUIDES] },
  'docs/tutorial-flight.md': { sh: [GUIDES], python: [GUIDES] },
  'docs/tutorial-planning.md': { sh: [GUIDES] },
  'docs/tutorial-weather.md': { sh: [GUIDES] },
  'docs/tutorial-receiver.md': { sh: [GUIDES], python: [GUIDES] },
  'docs/python.md': { sh: [GUIDES], python: [GUIDES] },
  'docs/troubleshooting.md': { sh: [GUIDES] },
  'docs/api.md': { sh: [CLIENTS], ts: [CLIENTS], python: [CLIENTS] },
  'docs/meteorology.md': { sh: [WEATHER] },
  'docs/jobs.md': { ts: [DEVELOPERS] },
  'docs/compute.md': { ts: [DEVELOPERS] },
  'docs/operations.md': { sh: [BACKUP, GUIDES] },
  'packages/client/README.md': { ts: [PACKAGES] },
};

/** Blocks that no test runs as written, with the reason; each is named by its first line. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm install webgpu': 'needs the registry; gpu.long.test.ts runs the package',
  'docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility …':
    'needs a container with a GPU',
  'contrails forecast score --forecast forecast --observations observations --buffer 0..10 --plot skill.svg':
    'needs observations; forecast-score.integration.test.ts scores made-up ones',
  'contrails observe fetch 2026-02-25T12:00Z --satellite goes-east --keep imagery':
    'needs public archives; the tests of the command fetch from servers of their kind',
  'contrails mrv compare report other.csv --columns map.json':
    'needs the figures of another tool; the tests of engine/src/mrv compare reports with such a table',
  'curl -H "x-api-key: $KEY" -F \'request={"operator": "XZ", "from": "2025-01-01", "to": "2025-01-31"};type=application/json\' \\':
    'needs the tables of an operator; reports.integration.test.ts sends them to the same endpoint',
  'contrails mrv check --flights flights.csv --trajectories trajectories.csv':
    'needs the tables of an operator; the tests of engine/src/mrv read, report and verify the reference tables',
  'npx contrails met sync ecmwf': 'fetches from public archives; met-sync.long.test.ts fetches from a mirror',
  'npx contrails init --source ecmwf --yes':
    'fetches from public archives; init.integration.test.ts fetches from a mirror',
  'contrails adsb import 2026-01-01.tar --build':
    'needs three days of telemetry; the tests of the inventory compute a smaller day',
  'contrails inventory airframes import fleet.csv': 'needs the table of an operator',
  'export CONTRAILS_DATA=s3://contrails/production':
    'needs a bucket and a database; scaled-out.integration.test.ts runs both',
  'export CONTRAILS_DATABASE_PASSWORD_FILE=/run/secrets/database-password':
    'needs a bucket and a database; archive.long.test.ts migrates to both',
};
/** Shown, not run: output, and data of another program. */
const SHOWN = ['', 'json', 'text'];

const pages = globSync(['README.md', 'docs/*.md', 'packages/client/README.md'], { cwd: root });

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks: Block[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n(.*?)^\1```$/gms)].map(
    ([, , language = '', body = '']): Block => ({ page, language, text: body }),
  );
});

test('every block of the manual is run by a test, or has a reason why not', () => {
  const missing = blocks.filter(({ page, language, text }) => {
    if (SHOWN.includes(language) || (text.split('\n')[0] ?? '').replace(/ +#.*/, '') in NOT_RUN) return false;
    const runners = language === 'yaml' ? [CONFIGURATION] : (RUN_BY[page]?.[language] ?? []);
    // What only installs the package or sets the environment.
    const isPreparation = language === 'sh' && /^(npm|export) /.test(text);
    return runners.length === 0 && !isPreparation;
  });
  expect(missing.map(({ page, language, text }) => `${page} ${language}: ${text.split('\n')[0]}`)).toEqual(
    [],
  );
});

test('every test and block that is named here exists', () => {
  const named = Object.values(RUN_BY).flatMap((languages) => Object.values(languages).flat());
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const used = new Set(blocks.map(({ page, language }) => `${page} ${language}`));
  const entries = Object.entries(RUN_BY).flatMap(([page, languages]) =>
    Object.keys(languages).map((language) => `${page} ${language}`),
  );
  expect(entries.filter((entry) => !used.has(entry))).toEqual([]);
  const first = new Set(blocks.map(({ text }) => (text.split('\n')[0] ?? '').replace(/ +#.*/, '')));
  expect(Object.keys(NOT_RUN).filter((line) => !first.has(line))).toEqual([]);
});

test('JSON in the manual is JSON', () => {
  const jsons = blocks.filter(({ language }) => language === 'json');
  expect(jsons.length).toBeGreaterThan(2);
  for (const { text, page } of jsons) expect(() => JSON.parse(text), page).not.toThrow();
});
