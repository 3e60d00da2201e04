import { describe, expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

function family(app: App): void {
  const config = { scope: 'public' } as const;
  app.get('/v0/things', { config }, () => ({ all: true }));
  app.get<{ Params: { id: string } }>('/v0/things/:id', { config }, ({ params }) => ({ id: params.id }));
  app.put('/v0/things/:id', { config }, () => ({}));
  app.post('/v0/run', { config }, () => ({}));
}

const server = await startServer({ families: [family] });

describe('trailing slash', () => {
  test.each(['/v0/things', '/v0/things/'])('%s is the same resource, without a redirect', async (url) => {
    const answer = await server.send(url);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ all: true });
  });

  test('is ignored behind a parameter and before a query too', async () => {
    expect((await server.send('/v0/things/7/?x=1')).json()).toEqual({ id: '7' });
  });
});

describe('unknown', () => {
  test('path is 404 in the usual shape, without a key', async () => {
    const answer = await server.send('/v0/nothing');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.problem()).toMatchObject({
      type: '/problems/not-found',
      status: 404,
      instance: answer.headers['x-request-id'],
    });
  });

  test.each([
    ['POST', '/v0/things', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v0/things/7', 'GET, HEAD, PUT, OPTIONS'],
    ['DELETE', '/v0/things/7/', 'GET, HEAD, PUT, OPTIONS'],
    ['GET', '/v0/run', 'POST, OPTIONS'],
    ['HEAD', '/v0/run', 'POST, OPTIONS'],
    ['PATCH', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/healthz', 'GET, HEAD, OPTIONS'],
  ])('method %s %s is 405 with Allow: %s', async (method, url, allow) => {
    const answer = await server.send({ method: method as 'GET', url });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  test('method on an unknown path is 404', async () => {
    expect((await server.send({ method: 'DELETE', url: '/nothing' })).status).toBe(404);
  });

  test('path with a body is not waited for', async () => {
    const answer = await server.send({
      method: 'POST',
      url: '/nothing',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    });
    expect(answer.status).toBe(404);
  });
});

describe('HEAD', () => {
  test('works wherever GET does, with the same headers and no body', async () => {
    const address = await server.address();
    for (const { url, scope } of server.routes.filter(({ method }) => method === 'GET')) {
      if (scope !== 'public') continue;
      const path = url.replace(/:\w+/g, 'validation');
      const [get, head] = [await fetch(address + path), await fetch(address + path, { method: 'HEAD' })];
      expect(head.status, url).toBe(get.status);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(await head.text()).toBe('');
      await get.body?.cancel();
    }
  });
});

describe('OPTIONS', () => {
  const preflight = (url: string, origin = 'https://map.example.org') =>
    ({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key, content-type',
      },
    }) as const;

  test('answers the preflight request of a browser for any origin', async () => {
    const answer = await server.send(preflight('/v0/things/7'));
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, PUT, OPTIONS',
      'access-control-allow-headers': 'x-api-key, content-type',
    });
  });

  test('without an origin lists the methods', async () => {
    const answer = await server.send({ method: 'OPTIONS', url: '/v0/run' });
    expect([answer.status, answer.headers.allow]).toEqual([204, 'POST, OPTIONS']);
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  test('on an unknown path is 404', async () => {
    expect((await server.send(preflight('/nothing'))).status).toBe(404);
  });
});

describe('CORS', () => {
  test('any origin may read answers, errors and the headers that matter', async () => {
    for (const url of ['/v0/things', '/nothing', '/v0/%ff']) {
      const answer = await server.send({ url, headers: { origin: 'https://a.example' } });
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-expose-headers']).toContain('x-request-id');
    }
  });

  test('allows only the listed origins, with Vary for caches', async () => {
    const limited = await startServer({
      families: [family],
      options: { corsOrigins: ['https://a.example'] },
    });
    const from = (origin: string) => limited.send({ url: '/v0/things', headers: { origin } });
    expect((await from('https://a.example')).headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      vary: 'origin',
    });
    const refused = await from('https://evil.example');
    expect(refused.status).toBe(200);
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    expect(refused.headers.vary).toBe('origin');
  });

  test('allows no origin with an empty list', async () => {
    const closed = await startServer({ families: [family], options: { corsOrigins: [] } });
    const answer = await closed.send({ url: '/v0/things', headers: { origin: 'https://a.example' } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('addresses that try to get out', () => {
  test.each([
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/problems/../../package.json',
    '/problems/..%2f..%2fpackage.json',
    '/problems/%2e%2e%5c%2e%2e%5cpackage.json',
    '/openapi/../../../package.json',
    '/openapi/..%2f..%2f..%2fpackage.json',
    '/openapi/swagger-ui.css%00.png',
    '/openapi//etc/passwd',
    '//etc/passwd',
    '/./healthz/../../etc/passwd',
    '/v0/things/..%2f..%2f',
    '/problems/constructor',
    '/problems/__proto__',
    '/file:///etc/passwd',
  ])('%s finds nothing of the machine', async (url) => {
    const answer = await server.raw(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|404)/);
    expect(answer).not.toMatch(/root:|"workspaces"|"dependencies"/);
    // The one that is served takes the whole text as an id.
    expect(answer.startsWith('HTTP/1.1 200')).toBe(url.startsWith('/v0/things'));
  });

  test.each(['/%ff', '/v0/things/%c3%28', '/%', '/%zz', '/v0/things/%e0%80%af'])(
    '%s is not valid UTF-8 and 400',
    async (url) => {
      const answer = await server.send({ url });
      expect(answer.status).toBe(400);
      expect(answer.problem()).toMatchObject({
        type: '/problems/bad-request',
        instance: answer.headers['x-request-id'],
      });
    },
  );

  test('invalid encoding in a query is not a server error', async () => {
    expect((await server.send('/v0/things?x=%ff&%zz=1&=&&')).status).toBe(200);
  });

  test('a part of the path longer than any is 404', async () => {
    expect((await server.send(`/v0/things/${'x'.repeat(5_000)}`)).status).toBe(404);
  });
});

describe('request id', () => {
  test('is echoed when it is a sane one', async () => {
    const answer = await server.send({ url: '/v0/things', headers: { 'x-request-id': '0b7c-trace:1' } });
    expect(answer.headers['x-request-id']).toBe('0b7c-trace:1');
    expect(server.log.some((line) => line.includes('"request_id":"0b7c-trace:1"'))).toBe(true);
  });

  test.each(['', 'a b', 'x'.repeat(200), '<script>', 'ünï', '"'])('%j is replaced', async (id) => {
    const answer = await server.send({ url: '/v0/things', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });

  test('is unique', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.send('/v0/things')));
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(50);
  });
});
