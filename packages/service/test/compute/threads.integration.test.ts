import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const packages = join(import.meta.dirname, '..', '..', '..');

/** Prints the address of every module that is loaded for the modules it is told. */
const PROGRAM = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
for (const url of process.argv.slice(1)) await import(url);
`;

test('compute threads load neither the schemas of requests nor the server', () => {
  const kernels = globSync('{engine,service}/src/**/*.kernel.ts', { cwd: packages });
  expect(kernels.length).toBeGreaterThan(10);
  const { NODE_OPTIONS: _, ...env } = process.env;
  const addresses = kernels.map((path) => pathToFileURL(join(packages, path)).href);
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, ...addresses], {
    env,
    encoding: 'utf8',
  });
  const libraries = [...loaded.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name);
  expect(libraries).not.toContain('typebox');
  expect(libraries).not.toContain('fastify');
  expect(loaded).toContain('trajectory.kernel.ts');
});
