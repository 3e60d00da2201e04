import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { buildManual } from '../src/build.ts';
import { PAGES } from '../src/contents.ts';
import { addressFrom, addressOf, renderPage } from '../src/render.ts';

test('every page of docs/ is in the contents, once', () => {
  const listed = PAGES.map(({ source }) => source).filter((source) => source.startsWith('docs/'));
  expect(listed.toSorted()).toEqual(
    globSync('docs/*.md', { cwd: repositoryRoot })
      .map((path) => path.replaceAll('\\', '/'))
      .sort(),
  );
});

test('links to pages and examples stay in the manual, links to other files of the repository are text', () => {
  expect(addressFrom('docs/api.md', 'forecast.md#past-hours')).toBe('/docs/forecast#past-hours');
  expect(addressFrom('docs/api.md', 'README.md')).toBe('/docs');
  expect(addressFrom('docs/api.md', '../packages/client/README.md')).toBe('/docs/client');
  expect(addressFrom('docs/api.md', 'examples/flight.json')).toBe('/docs/examples/flight.json');
  expect(addressFrom('docs/api.md', '../CONTRIBUTING.md')).toBeUndefined();
  const { html } = renderPage('# A\n\nsee [this](../CONTRIBUTING.md)', { source: 'docs/a.md' });
  expect(html).toContain('<p>see this</p>');
});

test('pictures of the manual are shown, and others stop the build', () => {
  const { html } = renderPage('# A\n\n![one](images/a.svg)', { source: 'docs/a.md' });
  expect(html).toContain('<img src="/docs/images/a.svg" alt="one" loading="lazy">');
  expect(() => renderPage('# A\n\n![two](../b.svg)', { source: 'docs/a.md' })).toThrow(/not in docs\/images/);
});

test('headings of the same name get their own anchors', () => {
  const { headings } = renderPage('# A\n\n## `b` c?\n\n## b c', { source: 'docs/a.md' });
  expect(headings.map(({ anchor }) => anchor)).toEqual(['a', 'b-c', 'b-c-1']);
});

test('code and text that look like markup are shown as they are', () => {
  const { html, sections } = renderPage('# A\n\n`<b>`\n\n```sh\necho "<script>" # x\n```\n', {
    source: 'docs/a.md',
  });
  expect(html).not.toContain('<script>');
  expect(html).toContain('class="hljs-comment"');
  expect(sections[0]?.text).toContain('<b>');
});

describe('built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manual '));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  beforeAll(() => buildManual(repositoryRoot, folder));

  test('every link of every page leads to a page, an anchor or a file that exists', () => {
    const files = globSync('**/*', { cwd: folder });
    const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const pages = new Map(
      PAGES.map((page) => [addressOf(page), read(`${page.name === '' ? 'index' : page.name}.html`)]),
    );
    const broken = [...pages].flatMap(([address, html]) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          if (/^(https?:|data:)/.test(target) || ['/', '/openapi'].includes(target)) return false;
          const [path = '', anchor] = target.split('#');
          const page = pages.get(path === '' ? address : path);
          if (page === undefined) return !files.includes(path.replace('/docs/', ''));
          return anchor !== undefined && !idsOf(page).has(anchor);
        })
        .map((target) => `${address}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('no page has inline scripts, styles or handlers, which its policy forbids', () => {
    for (const file of globSync('*.html', { cwd: folder })) {
      expect(read(file), file).not.toMatch(/<script(?![^>]* src=)|<style|<[^>]+ (style|on\w+)=/);
    }
  });

  test('the same pages give the same bytes', async () => {
    const again = mkdtempSync(join(tmpdir(), 'again '));
    await buildManual(repositoryRoot, again);
    for (const file of globSync('**/*.*', { cwd: folder })) {
      expect(readFileSync(join(again, file)).equals(readFileSync(join(folder, file))), file).toBe(true);
    }
  });
});
