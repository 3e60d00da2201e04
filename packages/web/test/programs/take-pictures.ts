/** Takes the pictures of the manual from the demo with its full weather: `node packages/web/test/programs/take-pictures.ts`. */
import { join } from 'node:path';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { until } from '../../../../test/support/until.ts';
import { INVENTORY_DAY, startDemoApp, takeScreenshot } from '../support/demo-app.ts';

const FOLDER = join(repositoryRoot, 'docs', 'images');
const CONFIG = `
forecast: { hours: 8, aircraft_types: [B738] }
log: { level: warn }
`;

/** Drawing without a graphics card takes seconds. */
const DRAWN_MS = 20_000;

const app = await startDemoApp({
  config: CONFIG,
  traffic: { fromHour: -4, toHour: 28, legsPerDay: 30 },
  deviceScaleFactor: 1,
});
try {
  const headers = { 'x-api-key': app.key };
  const isThere = async (path: string) => (await fetch(app.address + path, { headers })).ok;
  const hour = new Date().toISOString().slice(0, 13);
  await until('the current hour is published', () => isThere(`/v1/grids?flight_level=350&time=${hour}`), {
    seconds: 1200,
    pauseMs: 1000,
  });
  const picture = async (name: string, path: string, wanted: RegExp | string) => {
    const { page } = await app.open(path, { viewport: { width: 1280, height: 760 } });
    const skip = page.getByRole('button', { name: 'Skip' });
    if (await skip.isVisible({ timeout: 2000 })) await skip.click();
    return {
      page,
      async take() {
        await page.getByText(wanted).first().waitFor();
        // The fine basemap comes when everything else is drawn.
        await page.waitForTimeout(DRAWN_MS);
        await takeScreenshot(page, name, FOLDER);
        await page.context().close();
      },
    };
  };
  await (await picture('map', '/#/map?fl=350&threshold=2&wind=0&at=45,-25,2.3', 'Index')).take();
  await (
    await picture('weather', '/#/map?layer=issr&weather=humidity&wind=0&at=45,-25,2.3', /over ice, %/)
  ).take();
  const flight = await picture('flight', '/#/flight', 'Result');
  await flight.page.getByLabel('From', { exact: true }).fill('JFK');
  await flight.page.getByLabel('To', { exact: true }).fill('London');
  await flight.page.getByRole('button', { name: 'Compute contrails' }).click();
  await flight.page.getByRole('region', { name: 'Result' }).waitFor();
  await flight.page.waitForTimeout(DRAWN_MS);
  await takeScreenshot(flight.page, 'flight', FOLDER);
  await flight.page.context().close();
  await (await picture('inventory', `/#/inventory?date=${INVENTORY_DAY}`, /cause 80 %/)).take();
} finally {
  await app.close();
}
