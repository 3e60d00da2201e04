/** Markdown of the repository as HTML of the manual. */
import { dirname, normalize } from 'node:path/posix';
import highlight from 'highlight.js/lib/common';
import { Marked, type Tokens } from 'marked';
import { PAGES, type Page } from './contents.ts';

export interface Heading {
  readonly level: number;
  /** Plain text. */
  readonly text: string;
  readonly anchor: string;
}

/** The text between two headings, as search finds it. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** Address of a page. */
export function addressOf({ name }: Pick<Page, 'name'>): string {
  return name === '' ? '/docs' : `/docs/${name}`;
}

export function renderPage(markdown: string, { source, title }: Omit<Page, 'name'>): RenderedPage {
  const headings: Heading[] = [];
  const sections: { heading: Heading; text: string }[] = [];
  const anchors = new Map<string, number>();
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const text = plainText(html);
        const anchor = unique(anchorOf(text), anchors);
        const heading = { level: depth, text, anchor };
        headings.push(heading);
        sections.push({ heading, text: '' });
        const link =
          depth === 1
            ? ''
            : ` <a class="anchor" href="#${anchor}" aria-label="Link to ${escapeHtml(text)}">#</a>`;
        return `<h${depth} id="${anchor}">${html}${link}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const language = lang.trim().split(/\s/)[0] ?? '';
        return `<pre tabindex="0"><code${language === '' ? '' : ` class="language-${escapeHtml(language)}"`}>${coloured(text, language)}</code></pre>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = addressFrom(source, href);
        // A file of the repository is not part of the manual.
        if (target === undefined) return html;
        return `<a href="${escapeHtml(target)}">${html}</a>`;
      },
      image({ href, text }) {
        const target = addressFrom(source, href);
        if (target === undefined) throw new Error(`${source}: ${href} is not in docs/images`);
        return `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      table(token) {
        tables += 1;
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${tables}">${tableHtml(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
    },
  });
  const text = title === undefined ? markdown : markdown.replace(/^# .*/, `# ${title}`);
  const html = marked.parse(text, { async: false });
  fillSections(html, sections);
  const [first] = headings;
  if (first?.level !== 1) throw new Error(`${source} does not begin with a heading of level 1`);
  return { title: first.text, html, headings, sections };
}

/** The text of each section, from the HTML between its heading and the next. */
function fillSections(html: string, sections: { heading: Heading; text: string }[]): void {
  const parts = html.split(/<h[1-6] id="[^"]*">.*?<\/h[1-6]>/s).slice(1);
  sections.forEach((section, i) => {
    section.text = plainText(parts[i] ?? '');
  });
}

function tableHtml({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const isHeaderEmpty = header.every(({ text }) => text === '');
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map((cell) => cellHtml(cell, cell.text === '' ? 'td' : tag, inline(cell))).join('')}</tr>`;
  const head = isHeaderEmpty ? '' : `<thead>${row(header, 'th')}</thead>`;
  return `<table>${head}<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table>`;
}

function cellHtml({ align }: Tokens.TableCell, tag: string, html: string): string {
  return `<${tag}${align ? ` class="${align}"` : ''}>${html}</${tag}>`;
}

/** Names that highlight.js knows these by. */
const LANGUAGES: Readonly<Record<string, string>> = { sh: 'bash', ts: 'typescript', js: 'javascript' };

function coloured(text: string, language: string): string {
  const name = LANGUAGES[language] ?? language;
  return highlight.getLanguage(name) === undefined
    ? escapeHtml(text)
    : highlight.highlight(text, { language: name, ignoreIllegals: true }).value;
}

/** Where a link of a page leads within the manual; undefined where it leads to a file of the repository. */
export function addressFrom(source: string, href: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = normalize(`${dirname(source)}/${path}`);
  const page = PAGES.find((one) => one.source === target);
  if (page !== undefined) return `${addressOf(page)}${anchor === undefined ? '' : `#${anchor}`}`;
  return /^docs\/(examples|images)\//.test(target) ? `/${target}` : undefined;
}

/** Anchors as GitHub derives them, so links work there too. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function unique(anchor: string, taken: Map<string, number>): string {
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

function plainText(html: string): string {
  return html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
