import { NotFoundError } from '@contrails/runtime/errors';
import type { App } from './app.ts';
import { escapeHtml, makePage, type Page, sendPage } from './page.ts';
import { PROBLEMS, type ProblemName } from './problem.ts';

const NAMES = Object.keys(PROBLEMS) as ProblemName[];

/** The pages that `type` of an error response links to, and their index. */
export function serveProblemPages(app: App): void {
  const list = listPage();
  const pages = new Map<string, Page>(NAMES.map((name) => [name, problemPage(name)]));
  app.get('/problems', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) =>
    sendPage(reply, list),
  );
  app.get<{ Params: { name: string } }>(
    '/problems/:name',
    { config: { scope: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const page = pages.get(request.params.name);
      if (page === undefined) throw new NotFoundError('there is no such problem; /problems lists all');
      return sendPage(reply, page);
    },
  );
}

function listPage(): Page {
  const rows = NAMES.map((name) => {
    const { title, status } = PROBLEMS[name];
    return `<li><a href="/problems/${name}">${escapeHtml(title)}</a> <span>${status}</span></li>`;
  });
  const body = `<main><h1>Problems</h1>\n<ul>\n${rows.join('\n')}\n</ul></main>`;
  return makePage({ title: 'Problems', style: STYLE, body });
}

function problemPage(name: ProblemName): Page {
  const { title, status, meaning, remedy } = PROBLEMS[name];
  return makePage({
    title,
    style: STYLE,
    body: `<main><p><a href="/problems">Problems</a></p>
<h1>${escapeHtml(title)} <span>${name === 'validation' ? '422 or 400' : status}</span></h1>
<p><code>/problems/${name}</code></p>
<h2>What it means</h2>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(remedy)}</p></main>`,
  });
}

function withCode(text: string): string {
  return escapeHtml(text.replaceAll('`', '\u0000')).replace(/\0([^\0]*)\0/g, '<code>$1</code>');
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
h1 span, li span { color: GrayText; font-weight: 400; }
code { font-size: 0.95em; }
`;
