import { existsSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { App, Routes } from '@contrails/platform/http/app';
import { type Asset, serveAssets } from '@contrails/platform/http/assets';
import { makePage, sendPage } from '@contrails/platform/http/page';

/** The app: the files that the build of `packages/web` left in a directory. */
export function pageRoutes(directory: string | undefined): Routes {
  const assets = builtFiles(directory, (file) => (file === 'index.html' ? '/' : `/${file}`));
  return (app) => {
    if (assets.length === 0) serveMissingPage(app);
    else serveBuiltPage(app, assets);
  };
}

/** The manual at `/docs`: what the build of `packages/manual` left in a directory; nothing where it is not installed. */
export function manualRoutes(directory: string | undefined): Routes {
  const assets = builtFiles(directory, (file) =>
    file === 'index.html' ? '/docs' : `/docs/${file.replace(/\.html$/, '')}`,
  );
  return (app) => serveBuiltPage(app, assets);
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.py': 'text/x-python; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Everything the page needs comes from this server; other pages cannot frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function serveBuiltPage(app: App, assets: readonly Asset[]): void {
  app.addHook('onSend', (_request, reply, _payload, next) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html')) {
      reply.headers({
        'content-security-policy': POLICY,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
    }
    next();
  });
  serveAssets(app, assets);
}

function builtFiles(directory: string | undefined, urlOf: (file: string) => string): Asset[] {
  if (directory === undefined || !existsSync(join(directory, 'index.html'))) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return {
        path,
        url: urlOf(relative(directory, path).split(sep).join('/')),
        contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
      };
    });
}

function serveMissingPage(app: App): void {
  const page = makePage({
    title: 'Contrails',
    style:
      'body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }',
    body: '<h1>Contrails</h1><p>The service runs. Its app has not been built; <code>npm run setup</code> builds it.</p><p><a href="/openapi">The API</a></p>',
  });
  app.get('/', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) =>
    sendPage(reply, page),
  );
}
