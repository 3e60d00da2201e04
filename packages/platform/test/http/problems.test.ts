import {
  CancelledError,
  ConflictError,
  NotFoundError,
  UnavailableError,
  UsageError,
  ValidationError,
} from '@contrails/runtime/errors';
import { describe, expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { PROBLEMS } from '../../src/http/problem.ts';
import { startServer } from './harness.ts';

const ERRORS: Record<string, () => unknown> = {
  validation: () =>
    new ValidationError([{ loc: ['body', 'time', 3], msg: 'time[3] x is not a time', type: 'time' }], 2),
  'not-found': () => new NotFoundError('nothing is stored for 2031; data goes from 2019 to 2025'),
  planned: () => new NotFoundError('that hour is being computed', { retryAfterSeconds: 60 }),
  conflict: () => new ConflictError('the job is done already'),
  unavailable: () => new UnavailableError('disk full at /var/lib/contrails', { retryAfterSeconds: 30.2 }),
  cancelled: () => new CancelledError('worker 3 stopped'),
  usage: () => new UsageError('secret path /srv/x'),
  internal: () =>
    Object.assign(new TypeError('cannot read /srv/app/secret.ts of undefined'), { statusCode: 404 }),
  text: () => 'thrown text /srv/app',
  nothing: () => undefined,
  teapot: () => Object.assign(new Error('x'), { statusCode: 99999 }),
};

function family(app: App): void {
  for (const [name, make] of Object.entries(ERRORS)) {
    app.get(`/v0/throws/${name}`, { config: { scope: 'public' } }, () => {
      throw make();
    });
    app.get(`/v1/rejects/${name}`, { config: { scope: 'public' } }, async () => {
      await null;
      throw make();
    });
  }
}

const server = await startServer({ families: [family] });

describe('errors of handlers', () => {
  test.each([
    ['validation', 422, '/problems/validation'],
    ['not-found', 404, '/problems/not-found'],
    ['planned', 404, '/problems/not-found'],
    ['conflict', 409, '/problems/conflict'],
    ['unavailable', 503, '/problems/unavailable'],
    ['cancelled', 503, '/problems/unavailable'],
    ['usage', 500, '/problems/internal'],
    ['internal', 500, '/problems/internal'],
    ['text', 500, '/problems/internal'],
    ['teapot', 500, '/problems/internal'],
  ])('%s is %i %s', async (name, status, type) => {
    for (const url of [`/v0/throws/${name}`, `/v1/rejects/${name}`]) {
      const answer = await server.send(url);
      const wanted = status === 422 && url.startsWith('/v1') ? 400 : status;
      expect(answer.status).toBe(wanted);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.problem()).toMatchObject({
        type,
        status: wanted,
        instance: answer.headers['x-request-id'],
      });
      expect(Object.keys(answer.problem()).slice(0, 5)).toEqual([
        'type',
        'title',
        'status',
        'detail',
        'instance',
      ]);
    }
  });

  test('50 errors are listed, the rest is counted', async () => {
    const problem = (await server.send('/v0/throws/validation')).problem();
    expect(problem).toMatchObject({
      detail: 'time[3] x is not a time (and 2 more)',
      errors: [{ loc: ['body', 'time', 3], msg: 'time[3] x is not a time', type: 'time' }],
      more_errors: 2,
    });
  });

  test('a product under way is answered with when to come back', async () => {
    expect((await server.send('/v0/throws/planned')).headers['retry-after']).toBe('60');
    expect((await server.send('/v0/throws/not-found')).headers['retry-after']).toBeUndefined();
    expect((await server.send('/v0/throws/unavailable')).headers['retry-after']).toBe('31');
  });

  test.each(['unavailable', 'usage', 'internal', 'text', 'nothing'])(
    '%s reveals nothing of the machine',
    async (name) => {
      const answer = await server.send(`/v0/throws/${name}`);
      expect(answer.text).not.toMatch(/\/var|\/root|\/srv|at .*\.ts|stack|node_modules/);
    },
  );

  test('an internal error is logged under the id of the response', async () => {
    const { instance } = (await server.send('/v0/throws/internal')).problem();
    const line = server.log.find((text) => text.includes(instance) && text.includes('"level":50'));
    expect(line).toContain('secret.ts of undefined');
  });
});

describe('pages', () => {
  test('every type of problem has one', async () => {
    for (const [name, { title, status }] of Object.entries(PROBLEMS)) {
      const page = await server.send(`/problems/${name}`);
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(title);
      expect(page.text).toContain(String(status));
    }
  });

  test('are all listed', async () => {
    const page = await server.send('/problems/');
    for (const name of Object.keys(PROBLEMS)) expect(page.text).toContain(`href="/problems/${name}"`);
  });

  test('need nothing from elsewhere and allow no script', async () => {
    const page = await server.send('/problems/validation');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*; style-src 'sha256-[^ ]+'$/,
    );
    expect(page.text).not.toMatch(/<script|https?:|onclick|style="/);
  });

  test('lead back to the app and follow the theme of the system', async () => {
    const page = await server.send('/problems/validation');
    expect(page.text).toContain('<a href="/">App</a>');
    expect(page.text).toContain('prefers-color-scheme: dark');
  });

  test('an address that is not served is a page for browsers and a problem for programs', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await server.send({ method: 'GET', url: '/nowhere', headers: { accept } });
    expect(page.status).toBe(404);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('There is nothing at this address');
    for (const other of ['*/*', 'application/json', undefined]) {
      const headers = other === undefined ? {} : { accept: other };
      const answer = await server.send({ method: 'GET', url: '/nowhere', headers });
      expect(answer.problem().type).toBe('/problems/not-found');
    }
  });

  test('an unknown one is 404', async () => {
    expect((await server.send('/problems/none')).status).toBe(404);
  });
});
