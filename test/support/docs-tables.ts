import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repositoryRoot } from './tools.ts';

/** Expects tables in a page of the manual, each between `<!-- begin: NAME -->` and `<!-- end: NAME -->`; `-u` writes them. */
export async function expectTables(
  page: string,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const path = join(repositoryRoot, 'docs', page);
  let text = readFileSync(path, 'utf8');
  for (const [name, lines] of Object.entries(tables)) {
    const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
    const [before, after] = [text.indexOf(begin), text.indexOf(end)];
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);
    text = `${text.slice(0, before)}${begin}\n${lines.join('\n')}\n${text.slice(after)}`;
  }
  await expect(text).toMatchFileSnapshot(path);
}
