/**
 * Takes the pictures of the manual from the demo with its full weather: `node packages/web/test/programs/take-pictures.ts`,
 * with names of pictures for some of them.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveFlights } from '@contrails/client';
import { HOUR_MS } from '@contrails/runtime';
import type { Page } from 'playwright-core';
import { hoursOfForecast, smallConfig } from '../../../../test/support/live-service.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { until } from '../../../../test/support/until.ts';
import { type DemoApp, INVENTORY_DAY, startDemoApp, takeScreenshot } from '../support/demo-app.ts';
import { Film } from '../support/film.ts';

const FOLDER = join(repositoryRoot, 'docs', 'images');
/** Leaves 341 km of contrails at its level and none three thousand feet above. */
const FLIGHT = join(repositoryRoot, 'docs', 'examples', 'long-flight.json');
// With its own source the demo keeps to these settings.
const CONFIG = `
met: { sources: [{ name: demo, kind: synthetic, resolution: 1, seed: 1 }] }
forecast: { cells_per_degree: 1, hours: ${hoursOfForecast() + 6}, aircraft_types: [B738] }
log: { level: warn }
`;
/** Several hundred aircraft; the forecast would only take time. */
const SKY_CONFIG = `
${smallConfig().replace('resolution: 10', 'resolution: 2')}
live: { enabled: true, interval: 10s }
`;
const FEED = '{ name: traffic, kind: synthetic, legs_per_day: 3000, backfill: 3h }';

/** Drawing without a graphics card takes seconds. */
const DRAWN_MS = 25_000;
/** Hours ahead that the animation shows. */
const FILMED_HOURS = 3;
const VIEW = '&wind=0&at=45,-25,2.3';
const PICTURES: Readonly<Record<string, (name: string) => Promise<void>>> = {
  map: async (name) => take(await open(`/#/map?fl=350&threshold=2${VIEW}`, 'Index'), name),
  weather: async (name) => take(await open(`/#/map?layer=none&weather=humidity${VIEW}`, /over ice, %/), name),
  inventory: async (name) => take(await open(`/#/inventory?date=${INVENTORY_DAY}`, /causes? \d+ %/), name),
  satellites: async (name) => take(await open('/#/observations', /lines of/), name),
  status: async (name) => take(await open('/#/status', /hours ready/), name),
  animation: async (name) => {
    const width = 960;
    const page = await open(`/#/map?fl=340${VIEW}`, 'Index', 720);
    await page.waitForTimeout(DRAWN_MS);
    const film = new Film(page, { width, height: Math.round((width * 720) / 1280) });
    await film.shoot(2500);
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp']) {
      await page.getByRole('slider', { name: 'Flight level' }).press(key);
      await film.shoot(900);
    }
    for (let hour = 0; hour < FILMED_HOURS; hour++) {
      await page.getByRole('slider', { name: 'Hour' }).press('ArrowRight');
      await film.shoot(900);
    }
    await page.getByRole('link', { name: 'Flight' }).click();
    await page.locator('input[type=file]').setInputFiles(FLIGHT);
    await page.getByText(/The contrails of this flight/).waitFor();
    await page.waitForLoadState('networkidle');
    await film.shoot(3000);
    const age = page.getByRole('slider', { name: 'Time of the contrail' });
    const last = Number(await age.getAttribute('max'));
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      await age.fill(String(Math.round(share * last)));
      await film.shoot(800);
    }
    await page.getByRole('button', { name: 'Compare levels' }).click();
    await page.getByRole('row', { name: /As flown/ }).waitFor();
    await film.shoot(5900);
    await writeFile(join(FOLDER, `${name}.webp`), film.develop());
    await page.close();
  },
  live: async (name) => {
    const sky = await startDemoApp({ config: SKY_CONFIG, feed: FEED, traffic: null, deviceScaleFactor: 1 });
    let id: string | undefined;
    const isFlown = async () => {
      id = await trailingFlight(sky);
      return id !== undefined;
    };
    await until('an aircraft leaves a contrail that lasts', isFlown, { seconds: 600, pauseMs: 2000 });
    const page = await open(`/#/live?at=50,-8,3.6&flight=${id}`, /km of contrails/, 760, sky);
    await page.getByRole('img', { name: /Vertical profile/ }).waitFor();
    await take(page, name);
    await sky.close();
  },
  flight: async (name) => {
    const page = await openFlight();
    const age = page.getByRole('slider', { name: 'Time of the contrail' });
    await age.fill(String(Math.round(Number(await age.getAttribute('max')) / 3)));
    await take(page, name);
  },
  planning: async (name) => {
    const page = await openFlight();
    await page.getByRole('button', { name: 'Compare levels' }).click();
    await page.getByRole('row', { name: /As flown/ }).waitFor();
    await take(page, name);
  },
};

const named = process.argv.slice(2);
const wanted = Object.entries(PICTURES).filter(([name]) => named.length === 0 || named.includes(name));
const isSkyOnly = wanted.every(([name]) => name === 'live');
const app = isSkyOnly
  ? undefined
  : await startDemoApp({
      config: CONFIG,
      traffic: { fromHour: -4, toHour: 28, legsPerDay: 30 },
      deviceScaleFactor: 1,
    });
try {
  if (app !== undefined && wanted.some(([name]) => name === 'map' || name === 'animation')) {
    const last = Date.now() + (wanted.some(([name]) => name === 'animation') ? FILMED_HOURS * HOUR_MS : 0);
    const query = `flight_level=370&time=${new Date(last).toISOString().slice(0, 13)}`;
    const isThere = async () =>
      (await fetch(`${app.address}/v1/grids?${query}`, { headers: { 'x-api-key': app.key } })).ok;
    await until('the hours are published', isThere, { seconds: 1200, pauseMs: 1000 });
  }
  for (const [name, make] of wanted) await make(name);
} finally {
  await app?.close();
}

/** Of the aircraft in the picture that leave a contrail which lasts and know what is ahead, the one that has warmed most. */
async function trailingFlight({ address, key }: DemoApp): Promise<string | undefined> {
  const headers = { 'x-api-key': key };
  const answer = await fetch(`${address}/v1/live/flights?bbox=-40,40,20,60`, { headers });
  if (!answer.ok) return undefined;
  const { features } = (await answer.json()) as LiveFlights;
  return features
    .map(({ properties }) => properties)
    .filter(({ state, persistent, ahead }) => state === 'airborne' && persistent === true && ahead !== null)
    .toSorted((a, b) => (b.energy_forcing_so_far_j ?? 0) - (a.energy_forcing_so_far_j ?? 0))[0]?.id;
}

async function open(path: string, shown: RegExp | string, height = 760, from = app): Promise<Page> {
  if (from === undefined) throw new Error('the service of this picture is not started');
  const { page } = await from.open(path, { height });
  page.setDefaultTimeout(300_000);
  await page.getByText(shown).first().waitFor();
  return page;
}

async function openFlight(): Promise<Page> {
  const page = await open('/#/flight', 'Drop flight files', 960);
  await page.locator('input[type=file]').setInputFiles(FLIGHT);
  await page.getByText(/The contrails of this flight/).waitFor();
  // The profile is drawn over the air when that has arrived.
  await page.getByRole('img', { name: /Vertical profile/ }).waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(DRAWN_MS);
  await takeScreenshot(page, name, FOLDER);
  await page.close();
}
