import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { trialFamilies } from '../support/families.ts';
import { startServer } from '../support/server.ts';

const tools = createRequire(join(repositoryRoot, 'test', 'api', 'package.json'));
const folder = mkdtempSync(join(tmpdir(), 'lint '));
const file = join(folder, 'openapi.json');

const server = await startServer({ families: [...(await trialFamilies())] });
writeFileSync(file, (await server.send('/openapi.json')).text);

function run(program: string, args: readonly string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  return { status, said: stdout + stderr };
}

test('redocly finds neither errors nor warnings', () => {
  const program = join(dirname(tools.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
  const { status, said } = run(program, ['lint', file, '--extends=recommended-strict', '--format=stylish']);
  expect(status, said).toBe(0);
  expect(said).toContain('Your API description is valid');
  expect(said).not.toContain('warning');
});

test('spectral finds neither errors nor warnings', () => {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const program = join(dirname(tools.resolve('@stoplight/spectral-cli/package.json')), 'dist', 'index.js');
  const { status, said } = run(program, ['lint', file, '--fail-severity=hint']);
  expect(status, said).toBe(0);
});
