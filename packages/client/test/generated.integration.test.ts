import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { withDemoWeather } from '../../service/src/demo.ts';
import { trialFamilies } from '../../service/test/support/families.ts';
import { startServer } from '../../service/test/support/server.ts';

const tools = createRequire(join(repositoryRoot, 'test', 'api', 'package.json'));

test('the types are those of the description that the service serves; -u writes them', async () => {
  // The demo computes fewer aircraft types than a service does by default.
  const families = await trialFamilies((config) => {
    const { forecast, ...demo } = withDemoWeather(config);
    return { ...demo, forecast: { ...forecast, aircraft_types: config.forecast.aircraft_types } };
  });
  const server = await startServer({ families });
  const folder = mkdtempSync(join(tmpdir(), 'generated '));
  writeFileSync(join(folder, 'openapi.json'), (await server.send('/openapi.json')).text);
  const generator = join(dirname(tools.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
  execFileSync(
    process.execPath,
    [generator, 'openapi.json', '-o', 'openapi.ts', '--default-non-nullable=false'],
    { cwd: folder },
  );
  await expect(readFileSync(join(folder, 'openapi.ts'), 'utf8')).toMatchFileSnapshot(
    '../src/generated/openapi.ts',
  );
});
