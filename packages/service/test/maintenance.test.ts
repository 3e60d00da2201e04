import { createCatalogue } from '@contrails/platform/database/catalogue';
import { createLog } from '@contrails/platform/log';
import { lostGroup } from '@contrails/platform/products/kinds';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary.ts';
import { loadConfig } from '../src/configuration.ts';
import type { Family } from '../src/family.ts';
import { openServices } from '../src/open.ts';
import { maintenanceTasks } from '../src/worker.ts';

const DAY = 86_400_000;
const { signal } = new AbortController();

/** A family that plans products of one day ahead and keeps them for some days. */
function groupOf(name: string, days: number) {
  const replanned: string[] = [];
  const family: Family = {
    name,
    maintenance: () => ({ leftovers: async () => days }),
    products: {
      kinds: [{ family: name, origin: 'planned' }],
      keep: () => ({ runs: 1, days }),
      recompute: async (_services, lost) => {
        replanned.push(...lost.map(({ key }) => key));
        return lost.length;
      },
    },
  };
  return { family, replanned };
}

async function start() {
  const directory = await temporaryDirectory();
  const environment = { CONTRAILS_DATA: directory, CONTRAILS_LOG__LEVEL: 'error' };
  const config = loadConfig({ environment, directory });
  const services = await openServices(config, createLog(config.log));
  onTestFinished(() => services.close());
  return { config, services };
}

test('families with their own products have their own tasks, which leave those of others alone', async () => {
  const { config, services } = await start();
  const { store, database } = services;
  const catalogue = createCatalogue(database);
  const [short, long] = [groupOf('short', 1), groupOf('long', 30)];
  const validTimeMs = Date.now() - 5 * DAY;
  for (const family of ['short', 'long']) {
    for (const kind of ['whole', 'lost']) {
      const key = `${family}/${kind}.nc`;
      const { sha256, size } = await store.put(key, Buffer.from(key));
      if (kind === 'lost') await store.remove(key);
      await catalogue.put({
        ...{ key, family, kind, validTimeMs, sha256, size },
        referenceTimeMs: validTimeMs,
        createdMs: validTimeMs,
        attributes: { levels: '350', edition: 'one', source: 'trial' },
        manifest: { weather: { source: 'trial' } },
      });
    }
  }
  const tasks = maintenanceTasks(services, config, createLog({ level: 'error', format: 'json' }), [
    short.family,
    long.family,
  ]);
  expect(Object.keys(tasks)).toEqual([
    'jobs',
    'limits',
    'short.leftovers',
    'short.lost',
    'short.products',
    'long.leftovers',
    'long.lost',
    'long.products',
  ]);
  const results: Record<string, number> = {};
  for (const [name, run] of Object.entries(tasks)) results[name] = await run(signal);
  expect(results).toMatchObject({ 'short.lost': 1, 'short.products': 1, 'long.lost': 1, 'long.products': 0 });
  expect([short.replanned, long.replanned]).toEqual([['short/lost.nc'], ['long/lost.nc']]);
  const left = async (family: string) => (await catalogue.find({ family })).map(({ key }) => key);
  expect(await left('short')).toEqual([]);
  expect(await left('long')).toEqual(['long/whole.nc']);
  expect(await left(lostGroup('long'))).toEqual(['long/lost.nc']);
});
