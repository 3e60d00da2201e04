/** The examples of CONTRIBUTING.md, applied to a copy of the sources and used. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { startLiveService } from '../../test/support/live-service.ts';
import { COMPILER_ENVIRONMENT } from '../pack-packages.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const copy = mkdtempSync(join(tmpdir(), 'contributing '));
const program = join(copy, 'packages/cli/bin/contrails.mjs');
const run = promisify(execFile);

interface Answer {
  readonly flight_levels: readonly number[];
  readonly components: {
    readonly schemas: { readonly ModelParameters: { readonly properties: object } };
    readonly parameters: Readonly<Record<string, object>>;
  };
  readonly paths: { readonly '/v0/trajectory/cocip': { readonly post: { readonly parameters: unknown } } };
}

beforeAll(() => {
  copySources();
  for (const [, diff = ''] of guide.matchAll(/^```diff\n(.*?)^```/gms)) applyDiff(diff);
  const [, path = '', source = ''] =
    /\(`(packages\/met\/src\/sources\/[^`]*)`\):\n\n```ts\n(.*?)^```/ms.exec(guide) ?? [];
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), source);
});

test('an endpoint family and a parameter of cocip take the files that the guide shows', async () => {
  const { address, key, stop } = await startLiveService({ checkout: copy, workers: false });
  try {
    const ask = async (path: string) =>
      (await fetch(address + path, { headers: { 'x-api-key': key } })).json() as Promise<Answer>;
    expect((await ask('/v0/levels')).flight_levels).toContain(350);
    const { paths, components } = await ask('/openapi.json');
    const { parameters } = paths['/v0/trajectory/cocip'].post;
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/water_vapour_factor' });
    expect(components.parameters.water_vapour_factor).toMatchObject({ in: 'query' });
    expect(components.schemas.ModelParameters.properties).toHaveProperty('water_vapour_factor');
  } finally {
    await stop();
  }
  const { stdout } = await run(process.execPath, [program, 'trajectory', 'cocip', '--help']);
  expect(stdout).toContain('--water-vapour-factor <number>');
  expect(stdout).toMatch(/water_vapour_factor +more than 0, up to 10, default 1/);
});

test('a weather source takes the files that the guide shows', async () => {
  const [, yaml = ''] = /^```yaml\n(met:.*?)^```/ms.exec(guide) ?? [];
  writeFileSync(join(copy, 'contrails.yaml'), yaml);
  const grid = ['grid', 'sac', '--time', '2024-01-01T05:30', '--flight-level', '350', '-o', 'sac.nc'];
  await run(process.execPath, [program, ...grid, '--config', 'contrails.yaml'], { cwd: copy });
  expect(readFileSync(join(copy, 'sac.nc')).subarray(1, 4).toString()).toBe('HDF');
});

test('the changed sources have the right types', async () => {
  const { stdout } = await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--checkers', '1'],
    { cwd: copy, env: { ...process.env, ...COMPILER_ENVIRONMENT } },
  ).catch((error) => error);
  expect(stdout).toBe('');
});

/** Everything but what is installed or built, which is linked. */
function copySources(): void {
  const isSource = (path: string) => !/[/\\](node_modules|dist|test|reference)$/.test(path);
  cpSync(join(root, 'packages'), join(copy, 'packages'), { recursive: true, filter: isSource });
  for (const name of ['docs', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@contrails')
      symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  mkdirSync(join(copy, 'node_modules/@contrails'));
  for (const name of readdirSync(join(copy, 'packages')))
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@contrails', name));
}

/** Applies hunks without line numbers: each line of context is the next such line of the file, `@@` the next that begins so. */
function applyDiff(diff: string): void {
  for (const part of diff.split(/^--- .*\n/m).slice(1)) {
    const [, path = '', body = ''] = /^\+\+\+ b\/([^\n]*)\n(.*)$/s.exec(part) ?? [];
    const file = join(copy, path);
    const isNew = diff.includes(`--- /dev/null\n+++ b/${path}`);
    const lines = isNew ? [] : readFileSync(file, 'utf8').split('\n');
    let at = 0;
    const find = (matches: (line: string) => boolean, wanted: string) => {
      const found = lines.findIndex((line, index) => index >= at && matches(line));
      if (found < 0) throw new Error(`${path} has no line ${wanted}; correct the example in CONTRIBUTING.md`);
      return found;
    };
    for (const line of body.replace(/\n$/, '').split('\n')) {
      const text = line.slice(1);
      if (line.startsWith('@@ ')) at = find((each) => each.startsWith(line.slice(3)), line) + 1;
      else if (line.startsWith('+')) lines.splice(at++, 0, text);
      else {
        at = find((each) => each === text, text);
        if (line.startsWith('-')) lines.splice(at, 1);
        else at++;
      }
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'));
  }
}
