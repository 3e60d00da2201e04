/** The frame around each page: navigation, search, the page, its contents, and the way on. */
import { CHAPTERS, PAGES, type Page } from './contents.ts';
import { addressOf, escapeHtml, type RenderedPage } from './render.ts';

export interface Assets {
  readonly style: string;
  readonly script: string;
}

export function layOut(
  page: Page,
  rendered: RenderedPage,
  titles: ReadonlyMap<Page, string>,
  assets: Assets,
): string {
  const { title, html } = rendered;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.name === '' ? title : `${title} · Contrails`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="home" href="/docs">Contrails manual</a>
<search>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the manual" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results">
<ul id="results" role="listbox" aria-label="Search results" hidden></ul>
</search>
<nav class="places" aria-label="Service"><a href="/">App</a> <a href="/openapi">API reference</a></nav>
</header>
<div class="frame">
<details class="menu" id="menu"><summary>Contents</summary>
<nav aria-label="Manual">${navigation(page, titles)}</nav>
</details>
<main id="content">
${html}
${onward(page, titles)}
</main>
${pageContents(rendered)}
</div>
</body>
</html>
`;
}

function navigation(current: Page, titles: ReadonlyMap<Page, string>): string {
  return CHAPTERS.map(({ title, pages }) => {
    const links = pages.map((page) => {
      const here = page === current ? ' aria-current="page"' : '';
      return `<li><a href="${addressOf(page)}"${here}>${escapeHtml(titles.get(page) ?? '')}</a></li>`;
    });
    return `<p>${escapeHtml(title)}</p><ul>${links.join('')}</ul>`;
  }).join('\n');
}

function pageContents({ headings }: RenderedPage): string {
  const listed = headings.filter(({ level }) => level === 2);
  if (listed.length < 2) return '';
  const links = listed.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}

function onward(page: Page, titles: ReadonlyMap<Page, string>): string {
  const index = PAGES.indexOf(page);
  const link = (other: Page | undefined, rel: string, arrow: (title: string) => string) =>
    other === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${addressOf(other)}">${arrow(escapeHtml(titles.get(other) ?? ''))}</a>`;
  return `<nav class="onward" aria-label="Previous and next page">${link(PAGES[index - 1], 'prev', (title) => `← ${title}`)}${link(PAGES[index + 1], 'next', (title) => `${title} →`)}</nav>`;
}
