import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { parquetReadObjects } from 'hyparquet';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../../../test/support/accessibility.ts';
import { chromiumPath } from '../../../test/support/browser.ts';
import { until } from '../../../test/support/until.ts';
import { compressors } from '../src/parquet.ts';
import {
  type DemoApp,
  INVENTORY_DAY,
  startDemoApp,
  takeScreenshot,
  untilPublished,
} from './support/demo-app.ts';
import { FLIGHT_CSV } from './support/flight-file.ts';

const missing = chromiumPath === null;

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'the app in Chromium',
  () => {
    let app: DemoApp;

    beforeAll(async () => {
      app = await startDemoApp();
      await untilPublished(app);
    });
    afterAll(() => app?.close());

    test('a first visit shows the map of the demo with its tour, without a key in the address or beyond the tab', async () => {
      const { page, complaints, leave } = await app.open('/');
      await page.getByRole('region', { name: 'Tour, step 1 of 4' }).waitFor();
      await page.getByText('Synthetic demonstration data').waitFor();
      await page.locator('.hour-states .published').first().waitFor();
      await page.getByText('Index', { exact: true }).waitFor();
      await takeScreenshot(page, 'first-visit');
      // The legend stays where it is when the values beside it come.
      const withValues = await page.locator('.legend').boundingBox();
      await page.evaluate("document.querySelector('.readout').style.display = 'none'");
      expect(await page.locator('.legend').boundingBox()).toEqual(withValues);
      for (const title of ['What lies behind it', 'Your own flight', 'A whole day']) {
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByRole('heading', { name: title }).waitFor();
      }
      await page.getByRole('button', { name: 'Done' }).click();
      expect(await page.getByRole('region', { name: /^Tour/ }).count()).toBe(0);
      expect(page.url()).not.toContain(app.visitorKey);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('ctr_');
      expect(complaints).toEqual([]);
      await leave();
    });

    test('level, layers and weather are chosen by keyboard, and a link restores them', async () => {
      const { page, complaints, leave } = await app.visit('/#/map?fl=350');
      await page.getByText('Index', { exact: true }).waitFor();
      await page.getByRole('slider', { name: 'Flight level' }).press('ArrowUp');
      await page.getByText('FL360').first().waitFor();
      await page.getByRole('radio', { name: /Ice supersaturation/ }).press('Space');
      await page.getByText('supersaturated over ice').waitFor();
      await page.getByRole('radio', { name: 'Humidity' }).press('Space');
      await page.getByText('Relative humidity over ice, %').waitFor();
      await pointUntil(page, 'ISSR');
      await page.waitForURL(/layer=issr&fl=360.*weather=humidity/);
      const link = page.url();
      await takeScreenshot(page, 'map-humidity');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.goto('about:blank');
      await page.goto(link);
      await page.getByText('Relative humidity over ice, %').waitFor();
      expect(await page.getByRole('radio', { name: /Ice supersaturation/ }).isChecked()).toBe(true);
      const level = page.getByRole('slider', { name: 'Flight level' });
      expect(await level.inputValue()).toBe('360');
      // Also in a tab that shows the map already.
      await page.goto(`${app.address}/#/map?fl=330&layer=none&wind=0&at=50,10,4`);
      await until('the link is followed', async () => (await level.inputValue()) === '330');
      expect(await page.getByRole('radio', { name: /None/ }).first().isChecked()).toBe(true);
      await page.waitForURL(/fl=330.*at=50\.00,10\.00,4\.0/);
      await leave();
    });

    test('every layer shows its values, wind moves, and the hours play', async () => {
      const { page, complaints, leave } = await app.visit('/#/map?fl=350', {
        reducedMotion: 'no-preference',
      });
      await page.getByText('Index', { exact: true }).waitFor();
      await page.locator('canvas.wind').waitFor();
      const particles = () => page.evaluate("document.querySelector('canvas.wind').toDataURL()");
      const first = await particles();
      await until('the particles move', async () => (await particles()) !== first);
      await page.getByRole('checkbox', { name: 'Wind' }).press('Space');
      await page.locator('canvas.wind').waitFor({ state: 'hidden' });
      await page.getByRole('radio', { name: '2', exact: true }).press('Space');
      await page.getByText('index 2 or more').waitFor();
      for (const [layer, shown] of [
        ['Energy forcing', /MJ\/m$/],
        ['Contrail formation', 'SAC'],
        ['Persistent contrails', 'PCR'],
      ] as const) {
        await page.getByRole('radio', { name: layer }).press('Space');
        await page.locator('.level-slider output:not(.pending)').waitFor();
        await pointUntil(page, shown);
      }
      await page.getByRole('radio', { name: 'Temperature' }).press('Space');
      await page.getByText('Temperature, °C').waitFor();
      await page.getByRole('radio', { name: /Forecast index/ }).press('Space');
      await page.locator('.hour-states .published').nth(1).waitFor();
      const hour = page.locator('.timeline output');
      const before = await hour.textContent();
      await page.getByRole('button', { name: 'Play the hours' }).press('Enter');
      await until('another hour is shown', async () => (await hour.textContent()) !== before);
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      expect(complaints).toEqual([]);
      await leave();
    });

    test('the keyboard alone leads past the links to the controls, and to another view', async () => {
      const { page, complaints, leave } = await app.open('/#/status', { colorScheme: 'light' });
      await page.getByText('database ok').waitFor();
      await page.keyboard.press('Tab');
      const focused = () => page.evaluate('document.activeElement?.textContent');
      expect(await focused()).toBe('Skip to the controls');
      // The map and its two buttons come before the links to the views.
      for (let k = 0; k < 9 && (await focused()) !== 'Inventory'; k++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByLabel('Day', { exact: true }).waitFor();
      expect(await page.evaluate('location.hash')).toMatch(/^#\/inventory/);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('a flight from a file is computed, explained and exported; a broken file says why', async () => {
      const { page, complaints, leave } = await app.visit('/#/flight');
      const drop = page.locator('input[type=file]');
      const file = (name: string, text: string) => ({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(text),
      });
      await drop.setInputFiles(file('broken.csv', FLIGHT_CSV.replaceAll('-7', 'west')));
      await page.getByText('flight broken has no point that can be used; a flight needs two').waitFor();
      await drop.setInputFiles(file('AB123.csv', FLIGHT_CSV));
      await page.getByText(/The contrails of this flight warm: over 100 years as much as/).waitFor();
      await page.getByRole('img', { name: /Vertical profile: 9 minutes up to flight level 310/ }).waitFor();
      await page.getByRole('slider', { name: 'Time of the contrail' }).press('ArrowRight');
      await page.getByRole('button', { name: 'Compare levels' }).click();
      await page.getByRole('row', { name: /As flown/ }).waitFor();
      expect(await page.getByRole('rowheader').count()).toBeGreaterThan(10);
      await page
        .getByRole('img', { name: /^90 % of the samples from/ })
        .first()
        .waitFor();
      expect(await page.locator('.plan .meaning').first().textContent()).toMatch(/FL\d+|No other level/);
      const exported = async (format: string) => {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: format, exact: true }).click();
        const file = await download;
        return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
      };
      const geojson = await exported('GeoJSON');
      expect(geojson.name).toBe('AB123.geojson');
      expect(JSON.parse(geojson.bytes.toString())).toMatchObject({ type: 'FeatureCollection' });
      expect(JSON.parse((await exported('JSON')).bytes.toString())).toHaveProperty('energy_forcing');
      const csv = (await exported('CSV')).bytes.toString().trimEnd().split('\n');
      expect(csv[0]).toMatch(/^time,longitude,latitude,altitude_ft,/);
      expect(csv.length).toBeGreaterThan(5);
      const png = await exported('PNG');
      expect(png.name).toBe('AB123.png');
      expect(png.bytes.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
      expect(png.bytes.length).toBeGreaterThan(10_000);
      await takeScreenshot(page, 'flight-file');
      await page.getByText('Another flight').click();
      await page.getByText('Paste text instead').click();
      await page.getByLabel('Flight as text').fill('{ "time": ["2024-02-29T06:46Z",\n ]');
      await page.getByRole('button', { name: 'Read', exact: true }).click();
      await page.getByText(/is not valid JSON: /).waitFor();
      // Nothing of the flight before stays beside the message.
      expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('a route between two airports runs as a job, which the status lists', async () => {
      const { page, complaints, leave } = await app.visit('/#/status', { colorScheme: 'light' });
      const typed = Promise.withResolvers<void>();
      await page.route('**/airports.json', (route) => typed.promise.then(() => route.continue()));
      await page.getByRole('link', { name: 'Flight' }).click();
      await page.getByLabel('From', { exact: true }).fill('JFK');
      await page.getByLabel('To', { exact: true }).fill('London');
      typed.resolve();
      await page.getByText(/New York, John F.* \(KJFK\)/).waitFor();
      await page.getByText('Choose one from the list').waitFor();
      await page.getByLabel('To', { exact: true }).press('ArrowDown');
      await page.getByRole('option', { name: /London Heathrow/ }).click();
      await page.getByText(/London.*\(EGLL\)/).waitFor();
      await page.getByLabel('Departure, UTC').fill('2024-02-29T06:00');
      await page.getByLabel('Run as a background job').check();
      await page.getByRole('button', { name: 'Compute contrails' }).click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await page.getByRole('heading', { name: /^KJFK–EG/ }).waitFor();
      await takeScreenshot(page, 'flight-route-light');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Status' }).click();
      await page.getByText('trajectory, done').waitFor();
      await page.getByText('database ok').waitFor();
      await page.getByText('contrails.default').waitFor();
      await takeScreenshot(page, 'status-light');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('a job that waits is cancelled in the status', async () => {
      const { page, complaints, leave } = await app.visit('/#/flight');
      await page.getByText('Drop flight files or choose them').waitFor();
      // More than run at once, so some wait for the others.
      const cancelOthers = await postFleets(app, 4);
      await page.getByRole('link', { name: 'Status' }).click();
      await page.getByRole('button', { name: 'Cancel' }).last().click();
      await page.getByText('trajectory, cancelled').first().waitFor();
      await cancelOthers();
      expect(complaints).toEqual([]);
      await leave();
    });

    test('what the ten worst could have saved runs twice at once, and both visitors get the same numbers', async () => {
      const open = async (options: { readonly colorScheme: 'dark' | 'light' }) => {
        const opened = await app.visit(`/#/inventory?date=${INVENTORY_DAY}&tab=savings`, options);
        await opened.page.getByRole('button', { name: 'What could they have saved?' }).click();
        return opened;
      };
      const both = await Promise.all([open({ colorScheme: 'dark' }), open({ colorScheme: 'light' })]);
      const sentences = await Promise.all(
        both.map(({ page }) => page.getByText(/would have saved .* CO₂e \(GWP, 100 years\)/).textContent()),
      );
      expect(sentences[0]).toBe(sentences[1]);
      for (const { page, complaints, leave } of both) {
        await takeScreenshot(page, 'inventory-savings');
        expect(complaints).toEqual([]);
        await leave();
      }
    });

    test('a telemetry flight on the map opens in the flight view', async () => {
      const { latitude, longitude } = await somewhereOnTrack(app, `${INVENTORY_DAY}T12`);
      const { page, complaints, leave } = await app.visit(
        `/#/map?layer=none&traffic=1&time=${INVENTORY_DAY}T12&at=${latitude},${longitude},6`,
      );
      const canvas = page.locator('.backdrop canvas').first();
      const found = page.getByRole('button', { name: 'Compute its contrails' });
      const look = async () => {
        await canvas.click({ force: true });
        return (await found.count()) > 0;
      };
      await until('the track in the middle of the map is found', look, { pauseMs: 250 });
      await found.click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
      expect(complaints).toEqual([]);
      await leave();
    });

    test('what a satellite saw lies on the map', async () => {
      const { page, complaints, leave } = await app.visit('/#/map?layer=none&wind=0&at=33,-82,4.5');
      await page.getByRole('checkbox', { name: /Contrail lines/ }).check();
      await page.getByText(/Satellite image of .*: [1-9]\d* lines\./).waitFor();
      await page.getByRole('checkbox', { name: /Contrail pixels/ }).check();
      await page.getByText('pixel that may be a contrail').waitFor();
      await page.getByRole('heading', { name: 'Contrails in satellite imagery' }).waitFor();
      await page.getByText(/Satellite image of .*: [1-9]\d* lines\./).waitFor();
      await page.waitForURL(/segments=1&detections=1/);
      await takeScreenshot(page, 'map-satellite');
      expect(complaints).toEqual([]);
      await leave();
    });

    test('on a phone every view fits the screen', async () => {
      const { page, complaints } = await app.open('/#/map?fl=350&wind=0', { phone: true });
      await page.getByText('Index', { exact: true }).waitFor();
      await takeScreenshot(page, 'phone-map');
      const scrolls = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.header nav'))`;
      expect(await page.evaluate(scrolls)).toBeLessThanOrEqual(0);
      for (const view of ['Flight', 'Live', 'Inventory', 'Satellites', 'Skill', 'Status', 'Map']) {
        await page.getByRole('link', { name: view }).click();
        const name = view === 'Satellites' ? 'observations' : view.toLowerCase();
        await page
          .locator(view === 'Status' || view === 'Skill' ? 'main.page' : `main.${name}-view`)
          .waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        // This demo has no feed.
        if (view === 'Live') await page.getByText('This service does not follow aircraft.').waitFor();
        await takeScreenshot(page, `phone-${view.toLowerCase()}`);
      }
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('the skill of the forecast is a curve with its figures, by region and season', async () => {
      const headers = { 'x-api-key': app.key };
      await until(
        'the forecast is scored',
        async () => {
          const answer = await fetch(`${app.address}/v1/forecast/skill`, { headers });
          return ((await answer.json()) as { rows: unknown[] }).rows.length > 0;
        },
        { seconds: 120, pauseMs: 1000 },
      );
      const { page, complaints, leave } = await app.visit('/#/skill');
      await page
        .getByRole('img', { name: /^Skill curve of forecast, the globe, all seasons: IAGOS: / })
        .waitFor();
      const rows = page.getByRole('table', { name: /the globe/ }).getByRole('row');
      expect(await rows.count()).toBe(12);
      await page
        .getByText(
          /Only scores on the same times and levels.*Humidity scaling: exponential boost by latitude/,
        )
        .waitFor();
      await takeScreenshot(page, 'skill');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByLabel('Region').selectOption('shanwick');
      await page.getByRole('table', { name: /North Atlantic/ }).waitFor();
      await page.waitForURL(/region=shanwick/);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('another key is checked before it is used, and what needs a key waits for one', async () => {
      const { page, leave } = await app.visit('/#/status');
      await page.getByRole('button', { name: 'Key' }).click();
      await page.getByText('research, forecast').waitFor();
      await page.getByLabel('Another key').fill('ctr_aaaaaaaa_wrong');
      await page.getByRole('button', { name: 'Use this key' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/key/);
      const shown = Promise.withResolvers<void>();
      await page.route('**/visitor-key', (route) => shown.promise.then(() => route.continue()));
      await page.getByRole('button', { name: 'Forget the key' }).click();
      const traffic = page.waitForResponse(/\/v1\/adsb\/telemetry/);
      await page.goto(`${app.address}/#/map?layer=none&wind=0&traffic=1&time=${INVENTORY_DAY}T12`);
      await page.getByRole('checkbox', { name: /Air traffic/, checked: true }).waitFor();
      shown.resolve();
      expect((await traffic).status()).toBe(200);
      await leave();
    });

    test('"Execute" on the API page of the demo gets 200 with what is filled in', async () => {
      const { page, complaints } = await app.open('/openapi');
      // Swagger UI takes seconds to open an operation, so those which are filled in alike are sent without it.
      const flight = page.waitForRequest(/\/v0\/trajectory\/cocip/);
      for (const path of ['/v1/regions', '/v0/trajectory/cocip']) {
        const operation = page.locator('.opblock', {
          has: page.locator(`.opblock-summary-path[data-path="${path}"]`),
        });
        await operation.locator('.opblock-summary-control').click();
        await operation.getByRole('button', { name: 'Execute' }).click();
        const status = operation.locator('.live-responses-table tr.response .response-col_status').first();
        await status.waitFor();
        expect(await status.textContent(), path).toMatch(/^200/);
      }
      for (const path of ['/v0/auth/validate-key', '/v0/grid/availability', '/v1/grids']) {
        expect(await sendFilledIn(app, path), path).toBe(200);
      }
      expect(await sendFilledIn(app, '/v0/trajectory/sac', await flight)).toBe(200);
      const optional = page.locator('.opblock-get tr:not(:has(.parameter__name.required)) input[type=text]');
      const filledIn = await optional.evaluateAll((inputs) =>
        inputs.map((input) => (input as { value?: string }).value),
      );
      expect(new Set(filledIn)).toEqual(new Set(['']));
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('a problem page explains what an error means, and an unknown address leads back to the app', async () => {
      const { page, complaints } = await app.open('/problems', { colorScheme: 'light' });
      await page.getByRole('main').getByRole('link').first().click();
      await page.waitForURL(/\/problems\/./);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.goto(`${app.address}/nowhere`);
      await page.getByText('There is nothing at this address').waitFor();
      await page.emulateMedia({ colorScheme: 'dark' });
      await takeScreenshot(page, 'not-found-dark');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Open the app' }).click();
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      await page.close();
    });

    test('a service that is stopped is shown, and the page goes on when it is started again', async () => {
      const { page, leave } = await app.visit('/#/map?fl=350&wind=0');
      await page.getByText('Index', { exact: true }).waitFor();
      await app.stop();
      await page.getByRole('slider', { name: 'Flight level' }).press('End');
      await page.getByText('The service does not respond.').first().waitFor();
      await takeScreenshot(page, 'away');
      // It is said for some seconds only, in which a busy machine may not yet have told that the service is ready.
      const isBack = page.getByText('Connected again.').waitFor({ timeout: 150_000 });
      await Promise.all([isBack, app.restart()]);
      await page.getByText('Index', { exact: true }).waitFor();
      expect(await page.getByText('The service does not respond.').count()).toBe(0);
      await leave();
    });
  },
);

/** Moves the pointer over the map until the readout shows something; it follows the layer some frames later. */
async function pointUntil(page: Page, shown: RegExp | string): Promise<void> {
  const reading = page.locator('.readout').getByText(shown);
  let x = 700;
  await until(`the readout shows ${shown}`, async () => {
    x = x === 700 ? 705 : 700;
    await page.mouse.move(x, 300);
    return (await reading.count()) > 0;
  });
}

/** Sends a request with what the API page fills in, and the body of another that is filled in alike; the status of the response. */
async function sendFilledIn({ address, key }: DemoApp, path: string, alike?: Request): Promise<number> {
  const { paths, components } = (await (await fetch(`${address}/openapi/try-it.json`)).json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: FilledIn; readonly post?: FilledIn }>>;
    readonly components: { readonly parameters: Readonly<Record<string, FilledInParameter>> };
  };
  const { get, post } = paths[path] ?? {};
  if (alike !== undefined) {
    expect(post?.requestBody).toEqual(paths[new URL(alike.url()).pathname]?.post?.requestBody);
  }
  const query = (get?.parameters ?? post?.parameters ?? [])
    .flatMap((one) => ('$ref' in one ? (components.parameters[one.$ref.split('/').at(-1) ?? ''] ?? []) : one))
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const]));
  const response = await fetch(`${address}${path}?${new URLSearchParams(query)}`, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(alike && { method: 'POST', body: alike.postData() }),
  });
  await response.body?.cancel();
  return response.status;
}

interface FilledInParameter {
  readonly in: string;
  readonly name: string;
  readonly example?: string;
}

interface FilledIn {
  readonly parameters?: readonly (FilledInParameter | { readonly $ref: string })[];
  readonly requestBody?: unknown;
}

/**
 * Jobs of many seconds on any machine: flights side by side over the ocean, with as many samples as one may ask for. Returns what
 * cancels those that have not ended.
 */
async function postFleets(
  { address, visitorKey: key }: DemoApp,
  count: number,
): Promise<() => Promise<void>> {
  const waypoints = Array.from({ length: 300 }, (_, k) => k);
  const flights = Array.from({ length: 20 }, (_, f) => f);
  const of = (value: (f: number, k: number) => unknown) =>
    flights.flatMap((f) => waypoints.map((k) => value(f, k)));
  const body = JSON.stringify({
    flight_id: of((f) => `f${f}`),
    time: of((_, k) => new Date(Date.parse(INVENTORY_DAY) + k * 60_000).toISOString()),
    longitude: of((_, k) => -60 + 0.15 * k),
    latitude: of((f) => -50 + 5 * f),
    altitude: of((f) => 30_000 + 100 * f),
    aircraft_type: 'A320',
  });
  const headers = { 'x-api-key': key, 'content-type': 'application/json', prefer: 'respond-async' };
  const post = async () => {
    const url = `${address}/v0/trajectory/cocip?uncertainty=1000`;
    const response = await fetch(url, { method: 'POST', headers, body });
    if (response.status !== 202) throw new Error(`the fleet was not accepted: ${await response.text()}`);
    return `${address}${response.headers.get('location')}`;
  };
  const jobs = await Promise.all(Array.from({ length: count }, post));
  return async () => {
    for (const job of jobs) await fetch(job, { method: 'DELETE', headers: { 'x-api-key': key } });
  };
}

/** A position of an aircraft that was reported all through the hour. */
async function somewhereOnTrack({ address, key }: DemoApp, hour: string) {
  const columns = 'icao_address,latitude,longitude';
  const answer = await fetch(`${address}/v1/adsb/telemetry?date=${hour}&columns=${columns}`, {
    headers: { 'x-api-key': key },
  });
  const rows = (await parquetReadObjects({ file: await answer.arrayBuffer(), compressors })) as {
    readonly icao_address: string;
    readonly latitude: number;
    readonly longitude: number;
  }[];
  const tracks = [...Map.groupBy(rows, ({ icao_address }) => icao_address).values()];
  const longest = tracks.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const middle = longest[Math.floor(longest.length / 2)];
  if (middle === undefined) throw new Error(`there is no telemetry of ${hour}`);
  return middle;
}
