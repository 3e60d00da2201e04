import { createRequire } from 'node:module';
import type { App } from './app.ts';
import { type Asset, serveAssets } from './assets.ts';
import { makePage, PAGE_HEADER, PAGE_STYLE, sendPage } from './page.ts';
import { type ApiDocument, tryItDocument } from './try-it.ts';
import type { VisitorKey } from './visitor-key.ts';

const require = createRequire(import.meta.url);

/**
 * Swagger UI from its package: nothing is loaded from elsewhere, and the page has no inline script. A key is filled
 * in for every visitor of the page.
 */
export function serveOpenApiPage(app: App, keyFor: VisitorKey): void {
  const config = { scope: 'public' } as const;
  const schema = { hide: true };
  app.get('/openapi', { config, schema }, (_request, reply) => sendPage(reply, PAGE));
  app.get('/openapi/try-it.json', { config, schema }, (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return tryItDocument(app.swagger() as unknown as ApiDocument, Date.now());
  });
  app.get('/openapi/start.js', { config, schema }, (request, reply) => {
    const key = keyFor(request);
    // Pages of other origins could read the key, by CORS or as a script of theirs.
    if (key !== undefined) reply.removeHeader('access-control-allow-origin');
    return reply
      .headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' })
      .type('text/javascript; charset=utf-8')
      .send(startScript(key));
  });
  serveAssets(app, ASSETS);
}

const ASSETS: readonly Asset[] = [
  {
    url: '/openapi/swagger-ui.css',
    path: require.resolve('swagger-ui-dist/swagger-ui.css'),
    contentType: 'text/css; charset=utf-8',
  },
  {
    url: '/openapi/swagger-ui-bundle.js',
    path: require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    contentType: 'text/javascript; charset=utf-8',
  },
  {
    url: '/openapi/favicon.png',
    path: require.resolve('swagger-ui-dist/favicon-32x32.png'),
    contentType: 'image/png',
  },
];

const PAGE = makePage({
  title: 'Contrails API',
  style: `${PAGE_STYLE}
body { margin: 0; background: var(--panel); }
:root.dark-mode { --panel: #111a23; --edge: #2c3c4b; --ink: #e6edf4; --soft: #a9b9c8; --accent: #7cc4ff; }
:root.light-mode { color-scheme: light; --panel: #fff; --edge: #c6d2dd; --ink: #14202b; --soft: #475768; --accent: #0b5fa5; }
.swagger-ui .info { margin: 20px 0; }`,
  head: `<link rel="stylesheet" href="/openapi/swagger-ui.css">
<link rel="icon" type="image/png" href="/openapi/favicon.png">
`,
  body: `${PAGE_HEADER}
<div id="page"></div>
<script src="/openapi/swagger-ui-bundle.js"></script>
<script src="/openapi/start.js"></script>`,
  sources: {
    'style-src': "'self'",
    'script-src': "'self'",
    'connect-src': "'self'",
  },
});

function startScript(key: string | undefined): string {
  const authorize = key === undefined ? '' : `ui.preauthorizeApiKey('key', ${JSON.stringify(key)});`;
  // The theme that was chosen in the app, else that of the system.
  return `const kept = localStorage.getItem('contrails-theme');
const isDark = kept === null ? matchMedia('(prefers-color-scheme: dark)').matches : kept === 'dark';
document.documentElement.classList.add(isDark ? 'dark-mode' : 'light-mode');
fetch('/openapi/try-it.json')
  .then((response) => response.json())
  .then((spec) => {
    const ui = SwaggerUIBundle({
      spec,
      dom_id: '#page',
      deepLinking: true,
      displayRequestDuration: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
      validatorUrl: null,
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      onComplete: () => {${authorize}},
    });
  });
`;
}
