import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useLiveService } from '../../../../test/support/shared-server.ts';
import type { SharedLiveService } from '../../../../test/support/shared-servers.ts';
import { readTools, repositoryRoot } from '../../../../test/support/tools.ts';
import { until } from '../../../../test/support/until.ts';
import { scopes as known } from '../../src/families/index.ts';

const { python, pythonPrograms } = readTools();
const tools = createRequire(join(repositoryRoot, 'test', 'api', 'package.json'));
const folder = mkdtempSync(join(tmpdir(), 'clients '));
const hour = new Date().toISOString().slice(0, 13);

let service: SharedLiveService;

beforeAll(async () => {
  service = await useLiveService();
  const answer = await fetch(`${service.address}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await answer.text());
  const regions = `${service.address}/v1/regions?time=${hour}`;
  const headers = { 'x-api-key': service.key };
  await until('the current hour is published', async () => (await fetch(regions, { headers })).ok, {
    seconds: 200,
    pauseMs: 500,
  });
});

/** A block of docs/api.md in a language; what only sets the environment is done already. */
function blockOf(language: string, index = 0): string {
  const text = readFileSync(join(repositoryRoot, 'docs', 'api.md'), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
    .map(([, block = '']) => block)
    .filter((block) => !block.startsWith('export '));
  const found = blocks[index];
  if (found === undefined) throw new Error(`docs/api.md has no block ${index} of ${language}`);
  return found;
}

/** What a program prints; it has to succeed. */
function run(program: string, args: readonly string[]): string {
  const path = [pythonPrograms ?? '', process.env.PATH].join(delimiter);
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path, PYTHONPATH: folder, URL: service.address, KEY: service.key, TIME: hour },
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** What both clients find out by way of the generated code. */
const FOUND = {
  scopes: known.all.join(','),
  energy_forcing: 4,
  rhi: 4,
  contrail: 'FeatureCollection',
  met_source_provider: 'Contrails',
  location: expect.stringMatching(/^\/v0\/jobs\/[\w-]+$/),
  job: expect.stringMatching(/^(queued|running|done)$/),
  regions: 'FeatureCollection',
  unchanged: 304,
  range: 206,
  problem: '/problems/validation',
};

const FLIGHT = {
  longitude: [-56.6, -56.3, -56, -55.7],
  latitude: [40.5, 40.6, 40.7, 40.8],
  altitude: [35_000, 35_000, 35_000, 35_000],
  time: [1_709_168_400, 1_709_168_520, 1_709_168_640, 1_709_168_760],
  aircraft_type: 'A320',
};

const TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

const client = createClient<paths>({
  baseUrl: process.argv[2] ?? '',
  headers: { 'x-api-key': process.argv[3] ?? '' },
  querySerializer: { array: { style: 'form', explode: false } },
});
const body: components['schemas']['Flight'] = ${JSON.stringify(FLIGHT)};
const time = '${hour}';

const key = await client.GET('/v0/auth/validate-key');
const { data } = await client.POST('/v0/trajectory/cocip', {
  params: { query: { include: ['met', 'contrail'], max_age_hours: 1 } },
  body,
});
// Tables are texts; JSON is what comes without an Accept header.
if (typeof data !== 'object' || !('energy_forcing' in data)) throw new Error('no result');
const provider: string | null | (string | null)[] = data.met_source_provider;
const rhi: (number | null)[] | undefined = data.rhi;

const accepted = await client.POST('/v0/trajectory/sac', { params: { header: { Prefer: 'respond-async' } }, body });
if (typeof accepted.data !== 'object' || !('location' in accepted.data)) throw new Error('no job');
const job = await client.GET('/v0/jobs/{id}', { params: { path: { id: accepted.data.id } } });

const regions = await client.GET('/v1/regions', { params: { query: { time, flight_level: 350 } } });
const etag = regions.response.headers.get('etag') ?? '';
const unchanged = await client.GET('/v1/regions', {
  params: { query: { time, flight_level: 350 }, header: { 'If-None-Match': etag } },
});
const range = await client.GET('/v1/grids', {
  params: { query: { time, flight_level: 350 }, header: { Range: 'bytes=0-9' } },
  parseAs: 'arrayBuffer',
});
const wrong = await client.GET('/v0/grid/issr', { params: { query: { time: 'soon' } } });
const problem: components['schemas']['Problem'] | undefined = wrong.error;

console.log(JSON.stringify({
  scopes: key.data?.scopes.join(','),
  energy_forcing: data.energy_forcing.length,
  rhi: rhi?.length,
  contrail: data.contrail?.type,
  met_source_provider: provider,
  location: accepted.data.location,
  job: job.data?.state,
  regions: regions.data instanceof Object && 'features' in regions.data ? regions.data.type : undefined,
  unchanged: unchanged.response.status,
  range: range.response.status,
  problem: problem?.type,
}));
`;

test('a client generated by openapi-typescript type-checks and works', () => {
  const generator = join(dirname(tools.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
  const npx = `npx() { shift; "${process.execPath}" "${generator}" "$@"; }`;
  run('sh', ['-e', '-c', `${npx}\n${blockOf('sh')}`]);
  copyFileSync(join(folder, 'contrails.d.ts'), join(folder, 'schema.d.ts'));
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'client.ts'), TYPESCRIPT);
  writeFileSync(join(folder, 'documented.ts'), blockOf('ts'));
  run(process.execPath, [
    join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc'),
    ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'],
    ...['--allowImportingTsExtensions', '--skipLibCheck', 'client.ts', 'documented.ts'],
  ]);
  expect(run(process.execPath, ['documented.ts'])).toContain('FeatureCollection');
  const found: unknown = JSON.parse(run(process.execPath, ['client.ts', service.address, service.key]));
  expect(found).toEqual(FOUND);
});

const PYTHON = `
import json, sys
from contrails_client import AuthenticatedClient
from contrails_client.api.auth import validate_key
from contrails_client.api.forecast import get_grids, get_regions
from contrails_client.api.grid import get_grid_issr
from contrails_client.api.jobs import get_job
from contrails_client.api.trajectory import post_trajectory_cocip, post_trajectory_sac
from contrails_client.models import (
    AcceptedJob, CocipResult, Flight, GetRegionsFlightLevel, GetGridsFlightLevel, PostTrajectoryCocipIncludeItem, Problem,
)

client = AuthenticatedClient(sys.argv[1], sys.argv[2], prefix="", auth_header_name="x-api-key", timeout=60)
flight = Flight.from_dict(${JSON.stringify(FLIGHT)})
time = "${hour}"

key = validate_key.sync(client=client)
include = [PostTrajectoryCocipIncludeItem.MET, PostTrajectoryCocipIncludeItem.CONTRAIL]
result = post_trajectory_cocip.sync(client=client, body=flight, include=include, max_age_hours=1)
assert isinstance(result, CocipResult), result
accepted = post_trajectory_sac.sync(client=client, body=flight, prefer="respond-async")
assert isinstance(accepted, AcceptedJob), accepted
job = get_job.sync(accepted.id, client=client)
level = GetRegionsFlightLevel.VALUE_350
regions = get_regions.sync_detailed(client=client, time=time, flight_level=level)
unchanged = get_regions.sync_detailed(
    client=client, time=time, flight_level=level, if_none_match=regions.headers["etag"]
)
part = get_grids.sync_detailed(
    client=client, time=time, flight_level=GetGridsFlightLevel.VALUE_350, range_="bytes=0-9"
)
problem = get_grid_issr.sync(client=client, time="soon")
assert isinstance(problem, Problem), problem
print(json.dumps({
    "scopes": ",".join(key.scopes),
    "energy_forcing": len(result.energy_forcing),
    "rhi": len(result.rhi),
    "contrail": result.contrail.type_,
    "met_source_provider": result.met_source_provider,
    "location": accepted.location,
    "job": job.state.value,
    "regions": regions.parsed.type_,
    "unchanged": int(unchanged.status_code),
    "range": int(part.status_code),
    "problem": problem.type_,
}))
`;

describe.skipIf(python === null)('with Python', () => {
  test('a client generated by openapi-python-client works', () => {
    const program = String(python);
    writeFileSync(join(folder, 'client.py'), PYTHON);
    expect(run('sh', ['-e', '-c', blockOf('sh', 1)])).not.toContain('Skipping');
    writeFileSync(join(folder, 'documented.py'), blockOf('python'));
    expect(run(program, ['documented.py'])).toContain('FeatureCollection');
    const found: unknown = JSON.parse(run(program, ['client.py', service.address, service.key]));
    expect(found).toEqual(FOUND);
  });
});
