import { NotFoundError } from '@contrails/runtime/errors';
import type { App } from './app.ts';
import { escapeHtml, makeTextPage, type Page, sendPage } from './page.ts';
import { type NamedProblem, PROBLEMS, type ProblemKinds } from './problem.ts';

/** The pages that `type` of an error response links to, and their index. */
export function serveProblemPages(app: App, kinds: ProblemKinds): void {
  const all = Object.entries({ ...PROBLEMS, ...kinds }).map(([name, kind]) => ({ name, ...kind }));
  const list = listPage(all);
  const pages = new Map<string, Page>(all.map((problem) => [problem.name, problemPage(problem)]));
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

function listPage(all: readonly NamedProblem[]): Page {
  const rows = all.map(({ name, title, status }) => {
    return `<li><a href="/problems/${name}">${escapeHtml(title)}</a> <span>${status}</span></li>`;
  });
  const intro = '<p>What the service returns when it cannot answer a request, and what to do then.</p>';
  return makeTextPage('Errors', `<h1>Errors</h1>\n${intro}\n<ul>\n${rows.join('\n')}\n</ul>`);
}

function problemPage({ name, title, status, meaning, remedy }: NamedProblem): Page {
  return makeTextPage(
    title,
    `<p><a href="/problems">All errors</a></p>
<h1>${escapeHtml(title)} <span>${name === 'validation' ? '422 or 400' : status}</span></h1>
<p><code>/problems/${name}</code></p>
<h2>What it means</h2>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(remedy)}</p>`,
  );
}

function withCode(text: string): string {
  return escapeHtml(text.replaceAll('`', '\u0000')).replace(/\0([^\0]*)\0/g, '<code>$1</code>');
}
