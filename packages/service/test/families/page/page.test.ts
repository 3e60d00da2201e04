import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildServer } from '@contrails/platform/http/server';
import { createLog } from '@contrails/platform/log';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { manualRoutes, pageRoutes } from '../../../src/families/page/routes.ts';

/** A server with the page alone; nobody needs a key for it. */
async function serverWith(directory: string, routes = pageRoutes) {
  const refuse = () => Promise.reject(new Error('the page asks for a key'));
  const { app } = await buildServer(
    {
      log: createLog({ level: 'error', format: 'json' }),
      keyring: { authenticate: refuse },
      limits: { acquire: refuse },
      usage: { record() {} },
      checks: {},
    },
    {},
    [routes(directory)],
  );
  return app;
}

async function builtPage(): Promise<string> {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'assets'));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>x</title>');
  await writeFile(join(directory, 'assets', 'index-abc.js'), 'let x;');
  await writeFile(join(directory, '..', 'outside.html'), 'outside');
  return directory;
}

test('the page is at the root, with a policy that keeps everything else out', async () => {
  const app = await serverWith(await builtPage());
  const answer = await app.inject('/');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(answer.body).toContain('<title>x</title>');
});

test('the manual sends no referrer either', async () => {
  const app = await serverWith(await builtPage(), manualRoutes);
  const answer = await app.inject({ url: '/docs', headers: { accept: 'application/json' } });
  expect([answer.statusCode, answer.headers['referrer-policy']]).toEqual([200, 'no-referrer']);
});

test('its files are served with their types and can be asked for again cheaply', async () => {
  const app = await serverWith(await builtPage());
  const answer = await app.inject('/assets/index-abc.js');
  expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
  const again = await app.inject({
    url: '/assets/index-abc.js',
    headers: { 'if-none-match': String(answer.headers.etag) },
  });
  expect(again.statusCode).toBe(304);
});

test.each(['/../outside.html', '/..%2foutside.html', '/assets/..%2f..%2foutside.html', '/assets'])(
  'nothing but the files of the page is served: %s',
  async (url) => {
    const app = await serverWith(await builtPage());
    const answer = await app.inject(url);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toContain('outside<');
    expect(answer.body).not.toBe('outside');
  },
);

test('a page that is not built is answered with how to build it', async () => {
  const app = await serverWith(await temporaryDirectory());
  expect((await app.inject('/')).body).toContain('npm run setup');
});
