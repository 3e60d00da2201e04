/**
 * Takes the pictures of the manual from the demo with its full weather: `node packages/web/test/programs/take-pictures.ts`,
 * with names of pictures for some of them.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { hoursOfForecast } from '../../../../test/support/live-service.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { until } from '../../../../test/support/until.ts';
import { INVENTORY_DAY, startDemoApp, takeScreenshot } from '../support/demo-app.ts';

const FOLDER = join(repositoryRoot, 'docs', 'images');
/** Leaves 341 km of contrails at its level and none three thousand feet above. */
const FLIGHT = join(repositoryRoot, 'docs', 'examples', 'long-flight.json');
// With a source of its own the demo keeps to these settings.
const CONFIG = `
met: { sources: [{ name: demo, kind: synthetic, resolution: 1, seed: 1 }] }
forecast: { cells_per_degree: 1, hours: ${hoursOfForecast() + 6}, aircraft_types: [B738] }
log: { level: warn }
`;

/** Drawing without a graphics card takes seconds. */
const DRAWN_MS = 25_000;
const VIEW = '&wind=0&at=45,-25,2.3';
const PICTURES: Readonly<Record<string, (name: string) => Promise<void>>> = {
  map: async (name) => take(await open(`/#/map?fl=350&threshold=2${VIEW}`, 'Index'), name),
  weather: async (name) => take(await open(`/#/map?layer=issr&weather=humidity${VIEW}`, /over ice, %/), name),
  inventory: async (name) => take(await open(`/#/inventory?date=${INVENTORY_DAY}`, /cause 80 %/), name),
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
const app = await startDemoApp({
  config: CONFIG,
  traffic: { fromHour: -4, toHour: 28, legsPerDay: 30 },
  deviceScaleFactor: 1,
});
try {
  if (wanted.some(([name]) => name === 'map')) {
    const query = `flight_level=350&time=${new Date().toISOString().slice(0, 13)}`;
    const isThere = async () =>
      (await fetch(`${app.address}/v1/grids?${query}`, { headers: { 'x-api-key': app.key } })).ok;
    await until('the current hour is published', isThere, { seconds: 1200, pauseMs: 1000 });
  }
  for (const [name, make] of wanted) await make(name);
} finally {
  await app.close();
}

async function open(path: string, shown: RegExp | string, height = 760): Promise<Page> {
  const { page } = await app.open(path, { height });
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
