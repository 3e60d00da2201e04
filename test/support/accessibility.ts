import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Omits passed rules: listing them would take longer than checking. */
const OPTIONS = JSON.stringify({
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'],
  resultTypes: ['violations'],
});

/** What axe-core finds wrong with a page, by rule and element. The drawing of the map itself is left out. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined')
    await page.evaluate(await readFile(axePath, 'utf8'));
  const violations = (await page.evaluate(
    `axe.run({ exclude: ['.backdrop canvas'] }, ${OPTIONS}).then(({ violations }) => violations)`,
  )) as AxeResults['violations'];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
