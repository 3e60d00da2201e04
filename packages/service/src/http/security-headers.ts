import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Every answer: browsers do not guess what it is. */
export function protectAnswer(reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff');
}

/** A page of ours: everything it needs comes from this server, and nobody frames it. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers({
      'content-security-policy': page.policy,
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(page.html);
}

export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** A page whose one inline style sheet is allowed by its hash; `extra` allows more sources. */
export function makePage(
  title: string,
  style: string,
  body: string,
  extra: Readonly<Record<string, string>> = {},
): Page {
  const hash = createHash('sha256').update(style).digest('base64');
  const sources = {
    'default-src': "'none'",
    'style-src': `'sha256-${hash}'`,
    'img-src': "'self' data:",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...extra,
  };
  return {
    policy: Object.entries(sources)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`,
  };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
