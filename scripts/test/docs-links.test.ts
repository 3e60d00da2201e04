import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/*.md', 'deploy/*.md', 'packages/*/README.md'], { cwd: root });

test.each(pages)('every link of %s leads to a file and a heading that exist', (page) => {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !/^https?:/.test(target) && !leads(page, target))).toEqual([]);
});

test('a link to a heading that does not exist is found', () => {
  expect(leads('README.md', 'docs/forecast.md#past-hours')).toBe(true);
  expect(leads('README.md', 'docs/forecast.md#no-such-heading')).toBe(false);
  expect(leads('README.md', 'docs/no-such-page.md')).toBe(false);
});

function leads(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, file)).isFile() && anchors(file).includes(anchor);
}

/** Anchors of headings as GitHub derives them. */
function anchors(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** A page without its code blocks, whose comments look like headings. */
function prose(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```.*?^ *```/gms, '');
}
