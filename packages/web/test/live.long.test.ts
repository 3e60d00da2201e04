import { MINUTE_MS } from '@contrails/runtime';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../../../test/support/accessibility.ts';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { type LiveService, smallConfig, startLiveService } from '../../../test/support/live-service.ts';
import { until } from '../../../test/support/until.ts';
import { type DemoApp, startDemoApp, takeScreenshot } from './support/demo-app.ts';
import { type RecordedFeed, startRecordedFeed } from './support/recorded-feed.ts';

const missing = chromiumPath === null;
/** Nobody looks at forecast or inventory. */
const liveConfig = (interval: string) => `${smallConfig().replace('forecast:', 'forecast:\n  schedule: off')}
inventory: { schedule: off }
live: { enabled: true, interval: ${interval} }
`;
const TRAFFIC = '{ name: traffic, kind: synthetic, legs_per_day: 400, backfill: 2h }';

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'the live view with the traffic of the demo',
  () => {
    let app: DemoApp;
    beforeAll(async () => {
      app = await startDemoApp({ config: liveConfig('10s'), feed: TRAFFIC, traffic: null });
      await until('aircraft leave contrails', async () => (await ask(app, 'contrails')).features.length > 0, {
        seconds: 150,
        pauseMs: 500,
      });
    });
    afterAll(() => app?.close());

    test('is the first view, says what is in the sky, and begins the tour', async () => {
      const { page, complaints, leave } = await app.open('/');
      await page.getByRole('region', { name: 'Tour, step 1 of 5' }).waitFor();
      await page.waitForURL(/#\/live/);
      await page.getByRole('heading', { name: 'The sky now' }).waitFor();
      await page.getByRole('button', { name: 'Skip' }).click();
      const sky = page.getByRole('region', { name: 'What is in the sky' });
      await sky
        .getByText(
          /^\d+ aircraft in the air, (\d+|none) leaves? .*contrails? .*km of contrails (warm|cool) with .*W now/,
        )
        .waitFor();
      await sky.getByText(/^Live\. Newest report of \d\d:\d\d UTC, \d+ s ago\.$/).waitFor();
      await page.getByText('Contrails: net forcing now, W/m²').waitFor();
      await takeScreenshot(page, 'live');
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('opens a flight by keyboard, with its times, contrails, profile and what is ahead', async () => {
      const { page, complaints, leave } = await app.visit('/#/live?at=35,-10,1.8');
      const first = page.locator('.sky-list button').first();
      await first.waitFor();
      const callsign = await first.locator('b').textContent();
      await first.press('Enter');
      const card = page.getByRole('region', { name: 'Flight' });
      await card.getByRole('heading', { name: callsign ?? '' }).waitFor();
      await card.getByText('Energy so far').waitFor();
      await card.getByRole('img', { name: /Vertical profile: \d+ minutes/ }).waitFor();
      await card.getByText(/in the next 30 minutes|[Nn]othing is predicted|nothing is ahead/).waitFor();
      await page.waitForURL(/flight=/);
      await takeScreenshot(page, 'live-flight');
      expect(await accessibilityProblems(page)).toEqual([]);
      const link = page.url();
      await page.keyboard.press('Escape');
      await card.waitFor({ state: 'detached' });
      await page.goto('about:blank');
      await page.goto(link);
      await card.getByRole('heading', { name: callsign ?? '' }).waitFor();
      await card.getByRole('button', { name: 'Compute and plan it' }).click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await page.getByText('This flight is in the air: it ends with its newest minute.').waitFor();
      await page.getByRole('heading', { name: new RegExp(`^${callsign}`) }).waitFor();
      expect(complaints).toEqual([]);
      await leave();
    });

    test('an aircraft on the map is clicked, and the planner says which level leaves none', async () => {
      const { features } = await ask(app, 'flights');
      const level = features.find(
        ({ properties: { state, ahead } }) => state === 'airborne' && ahead !== null,
      );
      const [longitude, latitude] = level?.geometry.coordinates ?? [];
      // From far: an aircraft that was last seen minutes ago has flown on, but is in the middle.
      const { page, complaints, leave } = await app.visit(`/#/live?at=${latitude},${longitude},3`);
      const card = page.getByRole('region', { name: 'Flight' });
      const canvas = page.locator('.backdrop canvas').first();
      const look = async () => {
        await canvas.click({ force: true });
        return card.waitFor({ timeout: 3000 }).then(
          () => true,
          () => false,
        );
      };
      await until('the aircraft in the middle of the map is found', look);
      await card.getByRole('button', { name: 'Would another level leave none?' }).click();
      await card
        .getByText(/leaves? (none|less|least)|not known/)
        .last()
        .waitFor();
      expect(await card.getByText('Forecast around it').getAttribute('href')).toMatch(/^#\/map\?fl=\d+&at=/);
      expect(complaints).toEqual([]);
      await leave();
    });

    test('filters and colours are in the link, which restores them', async () => {
      const { page, complaints, leave } = await app.visit('/#/live?at=35,-10,1.8', { colorScheme: 'light' });
      await page.locator('.sky-list button').first().waitFor();
      await page.getByRole('radio', { name: 'warming' }).press('Space');
      await page.getByRole('radio', { name: 'energy' }).press('Space');
      await page.getByText('Contrails: energy of their life, MJ per metre').waitFor();
      await page.getByRole('combobox', { name: 'Level' }).selectOption('300');
      await page.waitForURL(/color=energy&contrails=warming&fl=300/);
      await page.getByRole('searchbox', { name: 'Callsign begins with' }).fill('zzz');
      await page.getByText('No aircraft fits these filters.').waitFor();
      await takeScreenshot(page, 'live-light');
      expect(await accessibilityProblems(page)).toEqual([]);
      const link = page.url();
      await page.goto('about:blank');
      await page.goto(link.replace(/&callsign=\w+/, ''));
      await page.locator('.sky-list button').first().waitFor();
      expect(await page.getByRole('radio', { name: 'warming' }).isChecked()).toBe(true);
      expect(await page.getByRole('combobox', { name: 'Level' }).inputValue()).toBe('300');
      expect(complaints).toEqual([]);
      await leave();
    });

    test('plays past minutes and comes back to now', async () => {
      const { page, complaints, leave } = await app.visit('/#/live?at=35,-10,1.8');
      await page.locator('.sky-list button').first().waitFor();
      const minute = page.getByRole('slider', { name: 'Minute' });
      const isKept = async () => (await askAt(app, 12)).ok && (await askAt(app, 6)).ok;
      await until('the last minutes are computed', isKept, { seconds: 100, pauseMs: 500 });
      await minute.fill('-10');
      await page.waitForURL(/time=/);
      await page.getByRole('button', { name: 'Play the last hours' }).press('Enter');
      const output = page.locator('.timeline output');
      const before = await output.textContent();
      await until('another minute is shown', async () => (await output.textContent()) !== before);
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      await page.getByRole('button', { name: 'Now' }).press('Enter');
      await output.getByText('UTC, now').waitFor();
      await page.waitForURL((url) => !url.hash.includes('time='));
      expect(complaints).toEqual([]);
      await leave();
    });

    test('aircraft move between reports, and a hidden tab does not listen', async () => {
      const { features } = await ask(app, 'flights');
      // One of the traffic of the demo: others are reported once, and an aircraft that is not heard of stops on the map.
      const fast = features.find(
        ({ properties: { state, track, callsign } }) =>
          state === 'airborne' && track !== null && callsign !== null,
      );
      const [longitude, latitude] = fast?.geometry.coordinates ?? [];
      // So wide that it is still there when a busy machine has opened the page.
      const { page, complaints, leave } = await app.visit(`/#/live?night=0&at=${latitude},${longitude},7`, {
        reducedMotion: 'no-preference',
      });
      await page.getByText(/^Live\./).waitFor();
      const clip = { x: 460, y: 220, width: 440, height: 340 };
      const first = await page.screenshot({ clip });
      await until('the picture changes', async () => !(await page.screenshot({ clip })).equals(first));
      const isStream = (request: { url(): string }) => request.url().includes('/v1/live/stream');
      const closed = page.waitForEvent('requestfailed', isStream);
      await setHidden(page, true);
      await closed;
      const opened = page.waitForRequest(isStream);
      await setHidden(page, false);
      await opened;
      await page.getByText(/^Live\./).waitFor();
      // The stream ends with the view, too.
      const left = page.waitForEvent('requestfailed', isStream);
      await page.getByRole('link', { name: 'Status' }).click();
      await left;
      expect(complaints).toEqual([]);
      await leave();
    });

    test('on a phone the sky fits the screen, and a flight opens over it', async () => {
      const { page, complaints } = await app.open('/#/live?at=35,-10,1.2', {
        phone: true,
        colorScheme: 'light',
      });
      await page.getByText(/aircraft in the air/).waitFor();
      await takeScreenshot(page, 'phone-sky');
      await page.getByRole('button', { name: 'Sky' }).click();
      await page.locator('.sky-list button').first().click();
      await page.getByRole('region', { name: 'Flight' }).getByText('Energy so far').waitFor();
      await takeScreenshot(page, 'phone-sky-flight');
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('a lost stream is said, the sky stays, and it goes on when the service is back', async () => {
      const { page, leave } = await app.visit('/#/live?at=35,-10,1.8');
      await page.getByText(/^Live\./).waitFor();
      await app.stop();
      await page.getByText(/^The connection is lost; the page connects again by itself\./).waitFor();
      expect(await page.locator('.sky-list button').count()).toBeGreaterThan(0);
      await takeScreenshot(page, 'live-lost');
      await app.restart();
      await page.getByText(/^Live\./).waitFor({ timeout: 150_000 });
      await leave();
    });
  },
);

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'the live view with a recorded receiver',
  () => {
    let feed: RecordedFeed;
    let service: LiveService;
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      feed = await startRecordedFeed(40 * MINUTE_MS);
      const configuration = `${liveConfig('5s')}
telemetry:
  sources:
    - { name: roof, kind: poll, url: '${feed.url}', interval: 1s, stalled_after: 8s }
    - { name: recording, kind: push }
`;
      [service, browser] = await Promise.all([startLiveService({ configuration }), launchBrowser()]);
      for (const document of feed.history) await post(service, document);
      page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.5 });
      page.setDefaultTimeout(100_000);
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
      await page.addInitScript(`sessionStorage.setItem('contrails-key', ${JSON.stringify(service.key)})`);
    });
    afterAll(async () => {
      await browser?.close();
      await service?.stop();
      await feed?.fallSilent();
    });

    test('shows the part of the world that the receiver hears, with every aircraft', async () => {
      await page.goto(service.address);
      await page.getByText(/^8 aircraft in the air/).waitFor();
      await page.getByRole('button', { name: 'Skip' }).click();
      await page.waitForURL(({ hash }) => {
        const [latitude = 0, longitude = 0, zoom = 0] = (/at=([^&]+)/.exec(hash)?.[1] ?? '')
          .split(',')
          .map(Number);
        return latitude > 40 && latitude < 60 && longitude > 0 && longitude < 25 && zoom > 3;
      });
      const listed = await page.locator('.sky-list b').allTextContents();
      expect(listed.toSorted()).toEqual(Array.from({ length: 8 }, (_, k) => `REC${k + 1}`));
      await page.locator('.sky-list button', { hasText: 'REC3' }).click();
      const card = page.getByRole('region', { name: 'Flight' });
      await card.getByText(/^FL320, \d+ kt, \d+°$/).waitFor();
      await card
        .getByRole('img', { name: /Vertical profile: (3\d|4\d) minutes up to flight level 320/ })
        .waitFor();
      await takeScreenshot(page, 'live-receiver');
    });

    test('names a feed that has fallen silent', async () => {
      await feed.fallSilent();
      await page.getByText(/^The feed “roof” is silent: its newest report is of \d\d:\d\d UTC\./).waitFor();
      await takeScreenshot(page, 'live-silent');
    });
  },
);

interface Feature {
  readonly geometry: { readonly coordinates: readonly number[] };
  readonly properties: {
    readonly state: string;
    readonly track: number | null;
    readonly ahead: object | null;
  };
}

async function ask({ address, key }: DemoApp, what: 'flights' | 'contrails') {
  const response = await fetch(`${address}/v1/live/${what}`, { headers: { 'x-api-key': key } });
  return response.ok ? ((await response.json()) as { features: Feature[] }) : { features: [] };
}

function askAt({ address, key }: DemoApp, minutesAgo: number): Promise<Response> {
  const time = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
  return fetch(`${address}/v1/live/at?time=${time}`, { headers: { 'x-api-key': key } });
}

async function post({ address, key }: LiveService, body: string): Promise<void> {
  const response = await fetch(`${address}/v1/adsb/ingest?source=recording`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/octet-stream' },
    body,
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Makes the page believe that another tab covers it. */
function setHidden(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );
}
