import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../../../test/support/browser.ts';
import { smallConfig } from '../../../../test/support/live-service.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { until } from '../../../../test/support/until.ts';
import { planDate } from '../../../service/src/families/inventory/run/plan.ts';
import { writeObservations } from '../../../service/test/families/forecast/support/observations.ts';
import { importTraffic, openInventory } from '../../../service/test/families/inventory/support.ts';
import { abiName, writeImage } from '../../../service/test/families/observations/support/imagery.ts';

/** The day that has telemetry and an inventory. */
export const INVENTORY_DAY = '2024-02-29';

export interface OpenedPage {
  readonly page: Page;
  /** Errors on the console, requests to other hosts, and content that moved by itself. */
  readonly complaints: string[];
  /** Ends a visit that found the page in order, and leaves it to the next one. */
  leave(): Promise<void>;
}

export interface DemoApp {
  readonly address: string;
  /** The key of the operator. */
  readonly key: string;
  /** The key that pages have. */
  readonly visitorKey: string;
  /** Loads a new page. */
  open(path: string, options?: PageOptions): Promise<OpenedPage>;
  /** Shows a view on a page that an earlier visit left: to load the app and its map takes longer than most tests. */
  visit(path: `/#/${string}`, options?: VisitOptions): Promise<OpenedPage>;
  /** Ends the service, and starts it again at the same address. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface VisitOptions {
  readonly colorScheme?: 'dark' | 'light';
  /** Moving particles would keep a machine without a graphics card busy. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

interface PageOptions extends VisitOptions {
  readonly phone?: boolean;
  /** Of the page [px]. */
  readonly height?: number;
}

export interface DemoAppOptions {
  /** What the service is started with; that of the tests unless given. */
  readonly config?: string;
  /** Telemetry of the day; null for none, and no inventory. */
  readonly traffic?: Traffic | null;
  /** What reports aircraft now; nothing unless given. */
  readonly feed?: string;
  /** Pixels of the screen for each of the page. */
  readonly deviceScaleFactor?: number;
  /** Whether pages have a GPU to compute with. */
  readonly webGpu?: boolean;
}

/** Telemetry of the day. */
interface Traffic {
  readonly fromHour: number;
  readonly toHour: number;
  readonly legsPerDay: number;
}

/** Enough flights for a table, and some on the map at noon. */
const SOME_TRAFFIC: Traffic = { fromHour: 6, toHour: 14, legsPerDay: 60 };

/** Without a graphics card, drawing a map costs more than everything else that the tests do. */
const COARSE_SCREEN = 0.5;

/** The demo as a user starts it, with one day of telemetry and inventory, a satellite image, and a browser. */
export async function startDemoApp({
  config = smallConfig(),
  traffic = SOME_TRAFFIC,
  feed = '{ name: traffic, kind: synthetic, enabled: false }',
  deviceScaleFactor = COARSE_SCREEN,
  webGpu = false,
}: DemoAppOptions = {}): Promise<DemoApp> {
  const data = mkdtempSync(join(tmpdir(), 'contrails pages '));
  const imagery = join(data, 'imagery');
  const observations = join(data, 'observations');
  const configuration = `${config}${feedConfig(feed)}${imageryConfig(imagery)}`;
  writeFileSync(join(data, 'contrails.yaml'), withScore(configuration, observations));
  await deliverImage(imagery);
  await writeObservations(observations, shardsAround(Date.now()));
  if (traffic !== null) await computeInventory(data, traffic);
  const { address, key, ...first } = await startDemo(data, 0);
  let { service } = first;
  const { key: visitorKey } = (await (await fetch(`${address}/visitor-key`)).json()) as { key: string };
  const browser = await launchBrowser({ webGpu });
  // One profile for all pages of a device, whose cache keeps the compiled scripts.
  const desktop = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor });
  const phones = await browser.newContext({ deviceScaleFactor, ...PHONE });
  const stop = async () => {
    if (service.exitCode !== null || service.signalCode !== null) return;
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    await ended;
  };
  const open = async (
    path: string,
    { phone = false, height, colorScheme = 'dark', reducedMotion = 'reduce' }: PageOptions = {},
  ) => {
    const page = await (phone ? phones : desktop).newPage();
    if (phone) await forgetVisits(page, address);
    if (height !== undefined) await page.setViewportSize({ ...VIEWPORT, height });
    await page.emulateMedia({ colorScheme, reducedMotion });
    const complaints = await openPage(page, address, path);
    const leave = async () => {
      // The next visit opens its view from the start: not every view follows a link while it is shown.
      await page.goto(`${address}/#/status`);
      await page.locator('main.page').waitFor();
      left.push({ opened, colorScheme });
    };
    const opened: OpenedPage = { page, complaints, leave };
    return opened;
  };
  const left: { readonly opened: OpenedPage; readonly colorScheme: string }[] = [];
  return {
    address,
    key,
    visitorKey,
    open,
    async visit(path, options = {}) {
      const { colorScheme = 'dark', reducedMotion = 'reduce' } = options;
      const index = left.findIndex((one) => one.colorScheme === colorScheme);
      const [found] = index < 0 ? [] : left.splice(index, 1);
      if (found === undefined) return open(path, options);
      const { page, complaints } = found.opened;
      complaints.length = 0;
      await page.emulateMedia({ colorScheme, reducedMotion });
      await page.goto(address + path);
      return found.opened;
    },
    stop,
    async restart() {
      ({ service } = await startDemo(data, Number(new URL(address).port)));
    },
    async close() {
      await browser.close();
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Visitors see traffic where it is made up; that of the tests is imported. */
const feedConfig = (feed: string) => `
telemetry:
  sources:
    - ${feed}
`;
const imageryConfig = (folder: string) => `
observations:
  sources:
    - { name: dish, kind: folder, satellite: goes-east, path: ${JSON.stringify(folder)} }
`;

/** The forecast is scored every minute. */
const withScore = (config: string, folder: string) =>
  config.replace(
    'forecast:\n',
    `forecast:\n  score: { observations: ${JSON.stringify(folder)}, schedule: "* * * * *", days: 3 }\n`,
  );

/** Some hours of one level that the demo has forecasts of. */
const shardsAround = (nowMs: number) =>
  [0, 1, 2].map((hours) => ({
    timeMs: (Math.floor(nowMs / HOUR_MS) + hours) * HOUR_MS,
    flightLevel: 350,
  }));

/** An image of the last hour with two contrails, as if it had been there for a while. */
async function deliverImage(folder: string): Promise<void> {
  const timeMs = Math.floor(Date.now() / (10 * MINUTE_MS)) * 10 * MINUTE_MS - 20 * MINUTE_MS;
  const path = join(folder, abiName(timeMs));
  const lines = [
    [0.5, 30],
    [-0.3, 120],
  ] as const;
  await writeImage(path, { timeMs, lines });
  const before = new Date(Date.now() - HOUR_MS);
  await utimes(path, before, before);
}

async function computeInventory(data: string, { fromHour, toHour, legsPerDay }: Traffic): Promise<void> {
  const trial = await openInventory({ data });
  const startMs = Date.parse(INVENTORY_DAY);
  await importTraffic(trial, startMs + fromHour * HOUR_MS, startMs + toHour * HOUR_MS, legsPerDay);
  await planDate(trial.services, trial.config, INVENTORY_DAY, true);
  await trial.work();
  await trial.close();
}

async function startDemo(
  data: string,
  port: number,
): Promise<{ service: ChildProcess; address: string; key: string }> {
  const program = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
  const flags = ['--demo', '--port', String(port), '--data', data, '--config', join(data, 'contrails.yaml')];
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

/** The next visit is a first one, with scripts that are compiled already. */
async function forgetVisits(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  await session.detach();
}

const VIEWPORT = { width: 1280, height: 800 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Loads a page that may talk to the service and to nobody else; what it complains about is added to the list. */
async function openPage(page: Page, address: string, path: string): Promise<string[]> {
  page.setDefaultTimeout(100_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) complaints.push(`asked for ${url}`);
  });
  await page.addInitScript(REPORT_SHIFTS);
  await page.goto(address + path);
  return complaints;
}

/** Of the app, not of the API page. What moves within half a second after an input follows from it. */
const REPORT_SHIFTS = `
  if (location.pathname === '/') new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput || value < 0.05) continue;
      const boxOf = ({ x, y, width, height }) => [x, y, width, height].join(' ');
      const moved = sources
        .map(({ node, previousRect, currentRect }) =>
          (node?.className || node?.nodeName) + ' from ' + boxOf(previousRect) + ' to ' + boxOf(currentRect))
        .join(', ');
      console.error('the layout shifted by ' + value.toFixed(3) + ': ' + moved);
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Until the map has something to show. */
export async function untilPublished({ address, key }: Pick<DemoApp, 'address' | 'key'>): Promise<void> {
  const grid = `${address}/v1/grids?flight_level=350&time=${new Date().toISOString().slice(0, 13)}`;
  const isThere = async () => (await fetch(grid, { headers: { 'x-api-key': key } })).ok;
  await until('the current hour is published', isThere, { seconds: 200, pauseMs: 300 });
}

/** Into a folder, or that of `$TEST_SCREENSHOTS`; without either there is nobody to look at it. */
export async function takeScreenshot(
  page: Page,
  name: string,
  folder = process.env.TEST_SCREENSHOTS,
): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
