import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A page of ours: everything it needs comes from this server; other pages cannot frame it. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers({
      'content-security-policy': page.policy,
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page.html);
}

export interface Page {
  readonly html: string;
  readonly policy: string;
}

export interface PageServices {
  readonly title: string;
  /** The one inline style sheet of the page, allowed by its hash. */
  readonly style: string;
  readonly body: string;
  readonly head?: string;
  /** Further sources that the page may use. */
  readonly sources?: Readonly<Record<string, string>>;
}

export function makePage({ title, style, body, head = NO_ICON, sources = {} }: PageServices): Page {
  const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const policy = {
    'default-src': "'none'",
    'img-src': "'self' data:",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...sources,
    'style-src': [sources['style-src'], styleHash].join(' ').trim(),
  };
  return {
    policy: Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
${head}</head>
<body>
${body}
</body>
</html>
`,
  };
}

/** A page with the look of the app, the way back to it, and the theme of the system. */
export function makeTextPage(title: string, body: string): Page {
  return makePage({
    title: `${title} · Contrails`,
    style: STYLE,
    body: `${PAGE_HEADER}\n<main>${body}</main>`,
  });
}

/** Above every page that is not of the app. */
export const PAGE_HEADER = `<header class="page-header"><a href="/"><b>Contrails</b></a>
<nav aria-label="Pages"><a href="/">App</a> <a href="/docs">Manual</a> <a href="/openapi">API</a> <a href="/problems">Errors</a></nav></header>`;

/** Colours as in the app. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #dbe7f0; --panel: #fff; --edge: #c6d2dd; --ink: #14202b; --soft: #475768; --accent: #0b5fa5; }
@media (prefers-color-scheme: dark) {
:root { --back: #0b1219; --panel: #111a23; --edge: #2c3c4b; --ink: #e6edf4; --soft: #a9b9c8; --accent: #7cc4ff; }
}
.page-header { display: flex; gap: 1.5rem; align-items: center; height: 46px; padding: 0 0.9rem; border-bottom: 1px solid var(--edge); background: var(--panel); font: 14px/1.45 system-ui, sans-serif; }
.page-header nav { display: flex; gap: 1rem; }
.page-header a { color: var(--soft); text-decoration: none; }
.page-header a b { color: var(--ink); font-size: 1.05rem; }
.page-header a:hover { color: var(--accent); }
`;

const STYLE = `${PAGE_STYLE}
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 2rem auto; padding: 0.4rem 1.4rem 1.2rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--panel); }
main a { color: var(--accent); }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.05rem; }
h1 span, li span { color: var(--soft); font-weight: 400; }
code { font-size: 0.95em; overflow-wrap: anywhere; }
@media (max-width: 46rem) { main { margin: 0; border: 0; border-radius: 0; } }
`;

/** Browsers ask for one that is not there otherwise. */
const NO_ICON = '<link rel="icon" href="data:,">\n';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
