/** Serves one trivial JSON route on a free port, `bare` or with all that our server does, and prints the address. */

import { mkdtempSync, openSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '@contrails/platform/http/app';
import { buildServer } from '@contrails/platform/http/server';
import { createKeyring, createKeys, createLimits, createUsageRecorder } from '@contrails/platform/keys';
import { gatheredLines } from '@contrails/platform/log-lines';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { api, scopes as known } from '../../packages/service/src/families/index.ts';
import { openDatabase } from '../../packages/service/src/migrations.ts';

const [kind] = process.argv.slice(2);
const { address, key } = kind === 'bare' ? await serveBare() : await serveOurs();
process.stdout.write(`${JSON.stringify({ address, key })}\n`);

async function serveBare() {
  const app = fastify();
  app.get('/trivial', () => ({ hello: 'world' }));
  return { address: await app.listen({ port: 0, host: '127.0.0.1' }), key: '' };
}

async function serveOurs() {
  const database = await openDatabase({
    database: 'embedded',
    directory: mkdtempSync(join(tmpdir(), 'contrails-bench-')),
  });
  const keys = createKeys(database, known);
  const { text } = await keys.create({ name: 'bench', ratePerMinute: 10_000_000, concurrency: 10_000 });
  const { app } = await buildServer(
    {
      // Every request is logged as it is in service, into a file that takes no time.
      log: pino({ level: 'info', base: null }, gatheredLines(openSync(devNull, 'w'))),
      keyring: createKeyring(keys),
      limits: createLimits(database),
      usage: createUsageRecorder(database),
      checks: {},
    },
    { maxInFlight: 10_000, api },
    [
      (scope: App) => {
        scope.get('/trivial', { config: { scope: 'research' } }, () => ({ hello: 'world' }));
      },
    ],
  );
  return { address: await app.listen({ port: 0, host: '127.0.0.1' }), key: text };
}
