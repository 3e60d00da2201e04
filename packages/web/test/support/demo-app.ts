import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../../../test/support/browser.ts';
import { smallConfig } from '../../../../test/support/live-service.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { planDate } from '../../../service/src/families/inventory/run/plan.ts';
import { importTraffic, openInventory } from '../../../service/test/families/inventory/support.ts';

/** The day that has telemetry and an inventory. */
export const INVENTORY_DAY = '2024-02-29';

export interface OpenedPage {
  readonly page: Page;
  /** Errors on the console, and requests to other hosts. */
  readonly complaints: string[];
}

export interface DemoApp {
  readonly address: string;
  readonly key: string;
  open(path: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** The demo as a user starts it, with one day of telemetry and inventory, and a browser. */
export async function startDemoApp(): Promise<DemoApp> {
  const data = mkdtempSync(join(tmpdir(), 'contrails pages '));
  await computeInventory(data);
  const { service, address, key } = await startDemo(data);
  const browser = await launchBrowser();
  return {
    address,
    key,
    open: (path, options) => openPage(browser, address, path, options),
    async close() {
      await browser.close();
      const ended = new Promise((resolve) => service.once('exit', resolve));
      service.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function computeInventory(data: string): Promise<void> {
  const trial = await openInventory({ data });
  const startMs = Date.parse(INVENTORY_DAY);
  await importTraffic(trial, startMs - 4 * HOUR_MS, startMs + DAY_MS + 4 * HOUR_MS, 30);
  await planDate(trial.services, trial.config, INVENTORY_DAY, true);
  await trial.work();
  await trial.close();
}

async function startDemo(data: string): Promise<{ service: ChildProcess; address: string; key: string }> {
  const program = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
  const config = join(data, 'contrails.yaml');
  writeFileSync(config, smallConfig());
  const flags = ['--demo', '--port', '0', '--data', data, '--config', config];
  const service = spawn(process.execPath, [program, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const chunk of service.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    const key = /ctr_[\w-]+/.exec(printed)?.[0];
    if (address !== undefined && key !== undefined) return { service, address, key };
  }
  throw new Error(`the service did not start: ${printed}`);
}

/** A page that may talk to the service and to nobody else. */
async function openPage(
  browser: Browser,
  address: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  // Moving particles would keep a machine without a graphics card busy.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) complaints.push(`asked for ${url}`);
  });
  await page.goto(address + path);
  return { page, complaints };
}

const screenshots = join(repositoryRoot, '.cache', 'screenshots');

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe-core finds wrong with a page, by rule and element. The drawing of the map itself is left out. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations } = (await page.evaluate(
    `axe.run({ exclude: ['.backdrop canvas'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] })`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
