/** The app in Chromium, drawn without a graphics card: first view, switches of level and hour, memory, size. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { hoursOfForecast } from '../test/support/live-service.ts';
import { repositoryRoot } from '../test/support/tools.ts';
import { until } from '../test/support/until.ts';
import { startDemoServer } from './support/demo-server.ts';

const HOURS = 2;
const OPENINGS = 5;
const SWITCHES = 200;
const EARLY = 20;
const FLIGHT_LEVELS = 18;

const data = mkdtempSync(join(tmpdir(), 'contrails-bench-app-'));
// With its own source the demo keeps to these settings; the resolutions are those of the demo.
const WEATHER = [{ name: 'demo', kind: 'synthetic', resolution: 1, seed: 1 }];
const server = await startDemoServer(
  data,
  {
    CONTRAILS_MET__SOURCES: JSON.stringify(WEATHER),
    CONTRAILS_FORECAST__CELLS_PER_DEGREE: '1',
    CONTRAILS_FORECAST__HOURS: String(hoursOfForecast() + 1),
    CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738',
    CONTRAILS_TELEMETRY__SOURCES: '[]',
    CONTRAILS_OBSERVATIONS__SOURCES: '[]',
  },
  'workers',
);
const browser = await launchBrowser();
try {
  await until('the forecast is computed', isForecastThere, { seconds: 1800, pauseMs: 2000 });
  await until('no job runs or waits', isIdle, { seconds: 600, pauseMs: 1000 });
  await warmWeather();
  const openings: number[] = [];
  for (let k = 0; k < OPENINGS; k++) openings.push(await firstView());
  const page = await openMap();
  const levels = await switches(page, 'Flight level', EARLY);
  const early = await memory(page);
  const more = await switches(page, 'Flight level', SWITCHES - EARLY);
  const late = await memory(page);
  const hours = await switches(page, 'Hour', EARLY);
  const ofSwitches = [...levels, ...more];
  console.table([
    {
      what: 'first view: address to values and map, best, ms',
      value: Math.min(...openings),
      wanted: '≤ 3000',
    },
    { what: 'first view, median, ms', value: median(openings), wanted: '' },
    { what: 'level: key to drawn, best, ms', value: Math.min(...ofSwitches), wanted: '≤ 150' },
    { what: 'level, median, ms', value: median(ofSwitches), wanted: '≤ 150' },
    { what: 'hour, median, ms', value: median(hours), wanted: '≤ 150' },
    { what: `page after ${EARLY} switches, MB`, value: early.residentMb, wanted: '' },
    { what: `page after ${SWITCHES} switches, MB`, value: late.residentMb, wanted: '' },
    { what: 'growth', value: ratio(late.residentMb, early.residentMb), wanted: '≤ 1.3' },
    { what: 'growth of the JavaScript heap', value: ratio(late.heapMb, early.heapMb), wanted: '' },
    { what: 'code and styles, gzip, kB', value: gzipKb('assets'), wanted: '≤ 750' },
    { what: 'data that it fetches when it needs them, gzip, kB', value: gzipKb('data'), wanted: '' },
  ]);
} finally {
  await browser.close();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}

async function wholeHours(): Promise<readonly { readonly time: string }[]> {
  const { runs } = await ask<{
    runs: {
      aircraft_classes: { aircraft_class: string; hours: { time: string; flight_levels: number[] }[] }[];
    }[];
  }>('/v1/forecast/runs');
  const found = runs[0]?.aircraft_classes.find((one) => one.aircraft_class === 'default');
  return found?.hours.filter((one) => one.flight_levels.length === FLIGHT_LEVELS) ?? [];
}

async function isForecastThere(): Promise<boolean> {
  const whole = await wholeHours();
  const now = new Date().toISOString().slice(0, 13);
  return whole.length >= HOURS && whole.some(({ time }) => time.startsWith(now));
}

/** Whether the service has nothing to do but to answer. */
async function isIdle(): Promise<boolean> {
  const { jobs } = await ask<{ jobs: { counts: Record<string, number> } }>('/v0/status');
  return ['waiting', 'queued', 'running'].every((state) => jobs.counts[state] === 0);
}

/** The weather of the hours comes into memory with the first request for it. */
async function warmWeather(): Promise<void> {
  for (const { time } of await wholeHours()) {
    const path = `/v0/grid/weather?flight_level=350&time=${time.slice(0, 13)}`;
    const response = await fetch(server.address + path, { headers: { 'x-api-key': server.key } });
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    await response.arrayBuffer();
  }
}

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(server.address + path, { headers: { 'x-api-key': server.key } });
  return (await response.json()) as T;
}

async function openMap(): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${server.address}/#/map?fl=350`);
  await page.getByText('Index', { exact: true }).waitFor({ timeout: 60_000 });
  return page;
}

/** Until the values are there and land, coasts and field are drawn. */
async function firstView(): Promise<number> {
  const startedMs = performance.now();
  const page = await openMap();
  await page.locator('.backdrop[data-drawn]').waitFor({ state: 'attached', timeout: 60_000 });
  const ms = performance.now() - startedMs;
  await page.context().close();
  return Math.round(ms);
}

/** Steps a slider to and fro; the milliseconds until each step is drawn. */
function switches(page: Page, name: string, count: number): Promise<number[]> {
  return page.evaluate(`(async () => {
    const slider = document.querySelector('input[aria-label="${name}"]');
    const output = document.querySelector('.level-slider output');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const gl = document.querySelector('.backdrop canvas').getContext('webgl2');
    const times = [];
    let direction = Number(slider.step);
    for (let k = 0; k < ${count}; k++) {
      const next = slider.valueAsNumber + direction;
      if (next > Number(slider.max) || next < Number(slider.min)) direction = -direction;
      const startedMs = performance.now();
      slider.valueAsNumber += direction;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      do await frame();
      while (output.classList.contains('pending'));
      await frame();
      // Reading a pixel waits until everything before it is drawn.
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      times.push(Math.round(performance.now() - startedMs));
      // As fast as a person turns; the neighbours are fetched meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return times;
  })()`);
}

/** Of the process that draws the page, after a garbage collection. */
async function memory(page: Page): Promise<{ readonly residentMb: number; readonly heapMb: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  const root = await browser.newBrowserCDPSession();
  const { processInfo } = await root.send('SystemInfo.getProcessInfo');
  await root.detach();
  const residents = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0));
  return {
    residentMb: Math.round(Math.max(...residents) / 1024),
    heapMb: Math.round(usedSize / 2 ** 20),
  };
}

function gzipKb(folder: 'assets' | 'data'): number {
  const path = join(repositoryRoot, 'packages', 'web', 'dist', folder);
  const bytes = readdirSync(path).map((name) => gzipSync(readFileSync(join(path, name))).length);
  return Math.round(bytes.reduce((sum, one) => sum + one, 0) / 1000);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function ratio(late: number, early: number): number {
  return Number((late / early).toFixed(2));
}
