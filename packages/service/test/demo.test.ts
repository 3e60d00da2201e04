import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/configuration.ts';
import { demoKey, withDemoWeather } from '../src/demo.ts';
import { createKeyring, createKeys } from '../src/keys/index.ts';
import { openDatabase } from '../src/migrations.ts';

async function start() {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-demo-'));
  const database = await openDatabase({ database: 'embedded', directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  const keys = createKeys(database);
  const config = loadConfig({ environment: { CONTRAILS_DATA: directory }, directory });
  return { directory, key: () => demoKey({ keys, keyring: createKeyring(keys) }, config) };
}

test('a file that a killed start has left does not stand in the way of the demo key', async () => {
  const { directory, key } = await start();
  writeFileSync(join(directory, `demo-key.${process.pid}`), 'half a k', { mode: 0o644 });
  const made = await key();
  expect(readFileSync(join(directory, 'demo-key'), 'utf8')).toBe(`${made}\n`);
  expect(statSync(join(directory, 'demo-key')).mode & 0o777).toBe(0o600);
  expect(await key()).toBe(made);
});

test('settings of the demo take the place of defaults, not of what is configured', () => {
  const load = (environment: Record<string, string>) =>
    withDemoWeather(loadConfig({ environment, directory: tmpdir() }));
  expect(load({})).toMatchObject({
    forecast: { hours: 12, cells_per_degree: 1 },
    inventory: { shards: 2, met: 'forecast', days_back: 1 },
    telemetry: { sources: [{ kind: 'synthetic' }], seal_after: '30min' },
  });
  expect(
    load({
      CONTRAILS_FORECAST__HOURS: '3',
      CONTRAILS_FORECAST__AIRCRAFT_CLASSES: '["default"]',
      CONTRAILS_INVENTORY__SCHEDULE: 'off',
      CONTRAILS_TELEMETRY__SEAL_AFTER: '2h',
    }),
  ).toMatchObject({
    forecast: { hours: 3, cells_per_degree: 1, aircraft_classes: ['default'] },
    inventory: { schedule: 'off', shards: 2 },
    telemetry: { sources: [{ kind: 'synthetic' }], seal_after: '2h' },
  });
});
