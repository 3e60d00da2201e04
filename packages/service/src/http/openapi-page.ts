import { createRequire } from 'node:module';
import type { App } from './app.ts';
import { type Asset, serveAssets } from './assets.ts';
import { makePage, sendPage } from './page.ts';

const require = createRequire(import.meta.url);

/** Swagger UI from its package: nothing is loaded from elsewhere, and no script stands in the page itself. */
export function serveOpenApiPage(app: App): void {
  app.get('/openapi', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) =>
    sendPage(reply, PAGE),
  );
  app.get('/openapi/start.js', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(START),
  );
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
  style: 'body { margin: 0; }',
  head: `<link rel="stylesheet" href="/openapi/swagger-ui.css">
<link rel="icon" type="image/png" href="/openapi/favicon.png">
`,
  body: `<div id="page"></div>
<script src="/openapi/swagger-ui-bundle.js"></script>
<script src="/openapi/start.js"></script>`,
  sources: {
    'style-src': "'self'",
    'script-src': "'self'",
    'connect-src': "'self'",
  },
});

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
});
`;
