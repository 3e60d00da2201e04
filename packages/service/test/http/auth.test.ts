import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@contrails/platform/http/app';
import { UnavailableError } from '@contrails/runtime/errors';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { authRoutes } from '../../src/families/auth/routes.ts';
import { scopes as known } from '../../src/families/index.ts';
import { trialFamilies } from '../support/families.ts';
import { startServer } from '../support/server.ts';

/** A route for every scope, so each is tried whichever families there are. */
function scopedFamily(app: App): void {
  for (const scope of known.all) {
    app.get(`/v0/scoped/${scope}`, { config: { scope } }, ({ key }) => ({ name: key.name }));
    app.post(`/v0/scoped/${scope}`, { config: { scope } }, () => ({}));
  }
  app.get('/v0/slow', { config: { scope: 'research' } }, async ({ usage }) => {
    usage.computeSeconds += 1.5;
    await sleep(50);
    return {};
  });
}

const server = await startServer({ families: [...(await trialFamilies()), scopedFamily] });
const keyed = server.routes.filter(({ scope }) => scope !== 'public');
const addressOf = ({ url }: { url: string }) => url.replace(/:\w+/g, 'x');

describe('without a valid key', () => {
  const [body, secret] = ['a'.repeat(8), 'B'.repeat(32)];
  const wrong: [string, string | undefined, string][] = [
    ['no header', undefined, 'is missing'],
    ['an empty header', '', 'is missing'],
    ['a word', 'secret', 'does not hold a key of this service'],
    ['a truncated key', `ctr_${body}_`, 'does not hold a key of this service'],
    ['a key with a tail', `ctr_${body}_${secret}x`, 'does not hold a key of this service'],
    ['two keys', `ctr_${body}_${secret}, ctr_${body}_${secret}`, 'does not hold a key of this service'],
    ['a path', '../../../etc/passwd', 'does not hold a key of this service'],
    ['SQL', "' OR 1=1 --", 'does not hold a key of this service'],
    ['12 kB', 'x'.repeat(12_000), 'does not hold a key of this service'],
    ['a key nobody made', `ctr_${body}_${secret}`, 'is not known'],
  ];

  test.each(wrong)('%s is 401 on every route that needs one', async (_, key, words) => {
    for (const route of keyed) {
      const answer = await server.send({
        method: route.method as 'GET',
        url: addressOf(route),
        headers: key === undefined ? {} : { 'x-api-key': key },
      });
      expect(answer.status, `${route.method} ${route.url}`).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('ApiKey');
      if (route.method !== 'HEAD') expect(answer.problem().detail).toContain(words);
    }
  });

  test('the secret of another key does not open', async () => {
    const [id] = server.key.split('_').slice(1);
    const [other] = (await server.newKey()).split('_').slice(2);
    const answer = await server.send({
      url: '/v0/auth/validate-key',
      headers: { 'x-api-key': `ctr_${id}_${other}` },
    });
    expect(answer.status).toBe(401);
  });

  test('nothing of a POST is read before the key', async () => {
    const answer = await server.send({
      method: 'POST',
      url: '/v0/scoped/research',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    });
    expect(answer.status).toBe(401);
  });
});

describe('a key without the scope', () => {
  test('is 403 on every restricted route, which names the scope', async () => {
    for (const route of keyed.filter(({ scope }) => scope !== 'any-key')) {
      const others = known.all.filter((scope) => scope !== route.scope);
      const key = await server.newKey({ scopes: others });
      const answer = await server.send({
        method: route.method as 'GET',
        url: addressOf(route),
        headers: { 'x-api-key': key },
      });
      expect(answer.status, `${route.method} ${route.url}`).toBe(403);
      if (route.method !== 'HEAD')
        expect(answer.problem()).toMatchObject({ type: '/problems/forbidden', scope: route.scope });
    }
  });

  test('is told the command that adds the scope to those it has', async () => {
    const key = await server.newKey({ scopes: ['research', 'forecast'] });
    const answer = await server.send({ url: '/v0/scoped/planning', headers: { 'x-api-key': key } });
    expect(answer.problem().detail).toMatch(
      /needs the scope planning.*contrails keys update \S+ --scopes research,forecast,planning$/,
    );
  });

  test.each(known.all)('opens only its own routes with %s alone', async (scope) => {
    const key = await server.newKey({ scopes: [scope] });
    const status = async (other: string) =>
      (await server.send({ url: `/v0/scoped/${other}`, headers: { 'x-api-key': key } })).status;
    const opened = [];
    for (const other of known.all) if ((await status(other)) === 200) opened.push(other);
    expect(opened).toEqual([scope]);
  });
});

describe('a key that stops', () => {
  test('because it expired is 401 with the reason', async () => {
    const key = await server.newKey({ expiresMs: Date.now() + 300 });
    await sleep(350);
    const answer = await server.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': key } });
    expect(answer.status).toBe(401);
    expect(answer.problem().detail).toContain('has expired');
  });

  test('because it was revoked is soon 401', async () => {
    const key = await server.newKey();
    const ask = () => server.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': key } });
    expect((await ask()).status).toBe(200);
    await server.keys.revoke(key.split('_')[1] ?? '');
    const answer = await until('the key is refused', async () => {
      const found = await ask();
      return found.status !== 200 && found;
    });
    expect(answer.status).toBe(401);
    expect(answer.problem().detail).toContain('was revoked');
  });
});

describe('limits', () => {
  test('of the rate are 429 with Retry-After and RateLimit headers', async () => {
    const key = await server.newKey({ ratePerMinute: 3 });
    const ask = () => server.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': key } });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const refused = answers.at(-1);
    expect(refused?.problem().detail).toMatch(
      /^the key has used its 3 requests per minute; try again in \d+ s$/,
    );
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused?.headers['ratelimit-limit']).toBe('3');
    expect(refused?.headers['ratelimit-remaining']).toBe('0');
    expect(Number(refused?.headers['ratelimit-reset'])).toBeGreaterThan(0);
  });

  test('of requests at once are 429, with room again when one ends', async () => {
    const key = await server.newKey({ concurrency: 2 });
    const slow = () => server.send({ url: '/v0/slow', headers: { 'x-api-key': key } });
    const statuses = (await Promise.all(Array.from({ length: 30 }, slow))).map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(statuses).toContain(200);
    expect((await slow()).status).toBe(200);
  });

  test('count refused requests as finished', async () => {
    const key = await server.newKey({ concurrency: 1 });
    const bad = () =>
      server.send({
        method: 'POST',
        url: '/v0/scoped/research',
        headers: { 'x-api-key': key, 'content-type': 'text/csv' },
        payload: 'x',
      });
    for (let round = 0; round < 5; round++) expect((await bad()).status).toBe(415);
  });
});

test('an outage of the database is 503 with Retry-After, never 401', async () => {
  const away = () =>
    Promise.reject(
      new UnavailableError('the database at db.internal:5432 is away', { retryAfterSeconds: 7 }),
    );
  for (const services of [{ keyring: { authenticate: away } }, { limits: { acquire: away } }]) {
    const broken = await startServer({ families: [authRoutes], services });
    const answer = await broken.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': broken.key } });
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.text).not.toContain('db.internal');
    expect(broken.log.join()).toContain('db.internal');
  }
});

test('a route that does not say who may call it stops the server from starting', async () => {
  const open = (app: App) => {
    app.get('/v0/forgotten', () => ({}));
  };
  await expect(startServer({ families: [open] })).rejects.toThrow(
    'route GET /v0/forgotten does not declare who may call it',
  );
});

test('validate-key answers name, scopes, expiry and limits', async () => {
  const expiresMs = Date.parse('2099-01-01T00:00:00Z');
  const key = await server.newKey({
    name: 'notebook',
    scopes: ['research', 'adsb'],
    expiresMs,
    ratePerMinute: 60,
    concurrency: 5,
  });
  const answer = await server.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': key } });
  expect(answer.json()).toEqual({
    name: 'notebook',
    scopes: ['research', 'adsb'],
    expires: '2099-01-01T00:00:00Z',
    limits: { requests_per_minute: 60, concurrent_requests: 5 },
  });
  expect(answer.text).not.toContain('ctr_');
});

test('usage counts requests, bytes and compute seconds by key and route', async () => {
  const key = await server.newKey();
  const id = key.split('_')[1];
  await server.send({ url: '/v0/slow', headers: { 'x-api-key': key } });
  await server.send({ url: '/v0/slow', headers: { 'x-api-key': key } });
  await server.send({ url: '/v0/scoped/adsb', headers: { 'x-api-key': key } });
  const rows = (await server.usage()).filter(({ keyId }) => keyId === id);
  expect(rows).toMatchObject([{ endpoint: '/v0/slow', requests: 2, bytes: 4, computeSeconds: 3 }]);
});

test('answers for a key are not for shared caches', async () => {
  const answer = await server.send({ url: '/v0/slow', headers: { 'x-api-key': server.key } });
  expect(answer.headers['cache-control']).toBe('private, no-cache');
});
