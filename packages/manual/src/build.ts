/** Builds the manual of the repository into `dist/`: `node packages/manual/src/build.ts`. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { build } from 'vite';
import { PAGES } from './contents.ts';
import { layOut } from './layout.ts';
import { addressOf, renderPage } from './render.ts';
import { SEARCH_OPTIONS, type SearchEntry } from './search-index.ts';

const EXCERPT_LENGTH = 140;

export async function buildManual(root: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'assets'), { recursive: true });
  const pages = PAGES.map((page) => ({
    page,
    rendered: renderPage(readFileSync(join(root, page.source), 'utf8'), page),
  }));
  const titles = new Map(pages.map(({ page, rendered }) => [page, rendered.title]));
  const assets = { style: '/docs/assets/style.css', script: '/docs/assets/main.js' };
  const search = new MiniSearch<SearchEntry>(SEARCH_OPTIONS);
  for (const { page, rendered } of pages) {
    const file = `${page.name === '' ? 'index' : page.name}.html`;
    writeFileSync(join(out, file), layOut(page, rendered, titles, assets));
    const entries = rendered.sections.map(({ heading, text }) => {
      const address = `${addressOf(page)}${heading.level === 1 ? '' : `#${heading.anchor}`}`;
      const excerpt = text.slice(0, EXCERPT_LENGTH);
      return { id: address, address, title: rendered.title, heading: heading.text, text, excerpt };
    });
    search.addAll(entries);
  }
  writeFileSync(join(out, 'assets', 'search.json'), JSON.stringify(search));
  cpSync(join(import.meta.dirname, 'style.css'), join(out, 'assets', 'style.css'));
  for (const folder of ['examples', 'images'])
    cpSync(join(root, 'docs', folder), join(out, folder), { recursive: true });
  await build({
    configFile: false,
    logLevel: 'warn',
    root: import.meta.dirname,
    build: {
      outDir: join(out, 'assets'),
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: join(import.meta.dirname, 'browser', 'main.ts'), formats: ['es'], fileName: 'main' },
    },
  });
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..', '..', '..');
  await buildManual(root, join(import.meta.dirname, '..', 'dist'));
}
