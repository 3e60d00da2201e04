/** What the pages of the manual do in the browser: search, copying code, the menu of small screens. */
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type SearchEntry } from '../search-index.ts';

const MAX_RESULTS = 12;

const input = element('search', HTMLInputElement);
const list = element('results', HTMLUListElement);
const menu = element('menu', HTMLDetailsElement);
let index: Promise<MiniSearch<SearchEntry>> | undefined;
let chosen = -1;

const wide = matchMedia('(min-width: 60rem)');
const openMenu = () => {
  menu.open = wide.matches;
};
wide.addEventListener('change', openMenu);
openMenu();

input.addEventListener('focus', () => {
  index ??= loadIndex();
});
input.addEventListener('input', () => void showResults());
input.addEventListener('keydown', moveChoice);
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', ({ target }) => {
  if (target instanceof Node && !list.contains(target) && target !== input) hideResults();
});
for (const code of document.querySelectorAll('pre')) addCopyButton(code);

async function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch('/docs/assets/search.json');
  if (!response.ok) throw new Error(`the search index is not available: ${response.status}`);
  return MiniSearch.loadJSON<SearchEntry>(await response.text(), SEARCH_OPTIONS);
}

async function showResults(): Promise<void> {
  const words = input.value.trim();
  if (words === '') return hideResults();
  index ??= loadIndex();
  if (list.hidden) list.replaceChildren(message('Searching …'));
  list.hidden = false;
  try {
    const found = (await index).search(words).slice(0, MAX_RESULTS);
    // The words may have changed while the index was loading.
    if (words !== input.value.trim()) return;
    const none = [message('Nothing found; try fewer or other words.')];
    list.replaceChildren(
      ...(found.length === 0 ? none : found.map((entry, i) => result(entry as unknown as SearchEntry, i))),
    );
  } catch {
    index = undefined;
    list.replaceChildren(message('Search is not available at the moment.'));
  }
  chosen = -1;
  input.setAttribute('aria-expanded', 'true');
}

function hideResults(): void {
  list.hidden = true;
  chosen = -1;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}

function result({ address, title, heading, excerpt }: SearchEntry, i: number): HTMLLIElement {
  const link = document.createElement('a');
  link.href = address;
  link.tabIndex = -1;
  link.append(text('strong', heading === title ? title : `${title} › ${heading}`), text('span', excerpt));
  link.addEventListener('click', hideResults);
  const made = document.createElement('li');
  made.id = `result-${i}`;
  made.role = 'option';
  made.append(link);
  return made;
}

function message(words: string): HTMLLIElement {
  const made = document.createElement('li');
  made.className = 'message';
  made.role = 'option';
  made.textContent = words;
  return made;
}

function moveChoice(event: KeyboardEvent): void {
  const links = [...list.querySelectorAll('a')];
  if (event.key === 'Escape') hideResults();
  if (event.key === 'Enter') (links[chosen] ?? links[0])?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || links.length === 0) return;
  event.preventDefault();
  chosen = chosen < 0 && step < 0 ? links.length - 1 : (chosen + step + links.length) % links.length;
  links.forEach((link, i) => {
    link.parentElement?.setAttribute('aria-selected', String(i === chosen));
  });
  links[chosen]?.parentElement?.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', `result-${chosen}`);
}

/** Browsers offer the clipboard to secure pages only. */
function addCopyButton(code: HTMLPreElement): void {
  if (!isSecureContext) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  code.replaceWith(frame);
  frame.append(code, button);
}

function text(tag: string, content: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = content;
  return made;
}

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} ${id}`);
}
