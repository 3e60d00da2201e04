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

/** Browsers ask for one that is not there otherwise. */
const NO_ICON = '<link rel="icon" href="data:,">\n';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
