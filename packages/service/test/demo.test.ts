import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, createKeys, withOwnKeys } from '@contrails/platform/keys';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/configuration.ts';
import { demoKeys, retireStoredDemoKey, withDemoWeather } from '../src/demo.ts';
import { scopes as known } from '../src/families/index.ts';
import { openDatabase } from '../src/migrations.ts';

async function start(environment: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-demo-'));
  const database = await openDatabase({ database: 'embedded', directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  const config = loadConfig({ environment: { CONTRAILS_DATA: directory, ...environment }, directory });
  return { directory, keys: createKeys(database, known), config };
}

test('a file that a killed start has left does not stand in the way of the demo keys', async () => {
  const { directory, config } = await start();
  writeFileSync(join(directory, `demo-key.${process.pid}`), 'half a k', { mode: 0o644 });
  const { own, visitor } = await demoKeys(config);
  expect(readFileSync(join(directory, 'demo-key'), 'utf8')).toBe(`${own.text}\n${visitor.text}\n`);
  expect(statSync(join(directory, 'demo-key')).mode & 0o777).toBe(0o600);
  const again = await demoKeys(config);
  expect([again.own.text, again.visitor.text]).toEqual([own.text, visitor.text]);
});

test('the keys of the demo are accepted by its server only, and visitors cannot write', async () => {
  const { keys, config } = await start();
  const { own, visitor } = await demoKeys(withDemoWeather(config));
  const stored = createKeyring(keys);
  const ofDemo = withOwnKeys(stored, [own, visitor]);
  expect(await ofDemo.authenticate(own.text)).toMatchObject({ ok: true, key: { scopes: known.all } });
  expect(await ofDemo.authenticate(visitor.text)).toMatchObject({ ok: true });
  expect(visitor.key.scopes).toEqual(known.all.filter((scope) => scope !== 'adsb:write'));
  for (const { text } of [own, visitor]) {
    expect(await stored.authenticate(text)).toEqual({ ok: false, reason: 'unknown' });
    expect(await ofDemo.authenticate(`${text.slice(0, -1)}!`)).toMatchObject({ ok: false });
  }
});

test('visitors of a demo with telemetry that is not made up do not read it', async () => {
  const sources = JSON.stringify([{ name: 'roof', kind: 'push' }]);
  const { config } = await start({ CONTRAILS_TELEMETRY__SOURCES: sources });
  const { visitor } = await demoKeys(withDemoWeather(config));
  expect(visitor.key.scopes).toEqual(known.ordinary);
});

test('a key of the demo that an earlier version has stored is revoked', async () => {
  const { directory, keys, config } = await start();
  const { key, text } = await keys.create({ name: 'demo', scopes: known.all });
  writeFileSync(join(directory, 'demo-key'), `${text}\n`);
  await retireStoredDemoKey({ keys }, config);
  expect(await createKeyring(keys).authenticate(text)).toEqual({ ok: false, reason: 'revoked' });
  expect((await demoKeys(config)).own.key.id).toBe(key.id);
});

test('the demo takes no more memory on a large machine, unless it is given more', () => {
  const memory = (environment: Record<string, string>) =>
    withDemoWeather(loadConfig({ environment, directory: tmpdir() })).server.memory_mib;
  expect(memory({})).toBeLessThanOrEqual(1400);
  expect(memory({ CONTRAILS_SERVER__MEMORY_MIB: '3000' })).toBe(3000);
  expect(memory({ CONTRAILS_SERVER__MEMORY_MIB: 'auto' })).toBe('auto');
});

test('settings of the demo take the place of defaults, not of what is configured', () => {
  const load = (environment: Record<string, string>) =>
    withDemoWeather(loadConfig({ environment, directory: tmpdir() }));
  expect(load({})).toMatchObject({
    forecast: { hours: 12, cells_per_degree: 1, score: { observations: 'own', days: 7, lead_hours: [] } },
    inventory: { shards: 1, met: 'forecast', days_back: 1 },
    telemetry: { sources: [{ kind: 'synthetic' }], seal_after: '30min' },
  });
  expect(load({ CONTRAILS_FORECAST__SCORE__SCHEDULE: 'off' }).forecast.score).toMatchObject({
    ...{ observations: 'own', schedule: 'off' },
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
    inventory: { schedule: 'off', shards: 1 },
    telemetry: { sources: [{ kind: 'synthetic' }], seal_after: '2h' },
  });
});
