import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityProblems } from '../../../../test/support/accessibility.ts';
import { chromiumPath, launchBrowser } from '../../../../test/support/browser.ts';
import { writePack } from '../../src/mrv/pack.ts';
import { copyWeather, MRV_TABLES, openServices, readCsv, SCOPE, SETTINGS } from './support.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'page-')), 'pack');
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath === null) return;
  const services = await openServices(copyWeather());
  const inputs = {
    flights: join(MRV_TABLES, 'flights.csv'),
    trajectories: join(MRV_TABLES, 'trajectories.csv'),
  };
  try {
    await writePack(services, { inputs, scope: SCOPE, folder, force: false, command: '' }, SETTINGS);
  } finally {
    await services.close();
  }
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

test.skipIf(chromiumPath === null)(
  'the page opens without a network, is accessible, and has the numbers of the table of flights',
  async () => {
    const page = await browser.newPage();
    await page.context().setOffline(true);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    expect(requests).toEqual([pathToFileURL(join(folder, 'report.html')).href]);
    expect(await accessibilityProblems(page)).toEqual([]);
    const rows = readCsv(join(folder, 'flights.csv'));
    const text = (await page.textContent('body')) ?? '';
    for (const row of rows) {
      expect(text).toContain(row.flight_key);
      expect(text).toContain((Number(row.non_co2_co2e100_kg) / 1000).toFixed(3));
    }
    expect(text).toContain('Not approved by the European Commission or any authority');
  },
);

test.skipIf(chromiumPath === null)('the page prints on A4 without rows that are cut', async () => {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.emulateMedia({ media: 'print' });
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  // 210 × 297 mm in points.
  expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45]\.\d+ 84[12]/);
  // At the width of a page less its margins nothing reaches beyond it.
  await page.setViewportSize({ width: 680, height: 1000 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= 680')).toBe(true);
  const kept = await page.evaluate(
    `[...document.querySelectorAll('tr, figure, section')].every((one) => getComputedStyle(one).breakInside === 'avoid')`,
  );
  expect(kept).toBe(true);
  // A section is not divided if it fits on a page: 262 mm at 96 dots an inch.
  const tallest = await page.evaluate(
    "Math.max(...[...document.querySelectorAll('.short')].map((one) => one.getBoundingClientRect().height))",
  );
  expect(tallest).toBeLessThan(990);
});
