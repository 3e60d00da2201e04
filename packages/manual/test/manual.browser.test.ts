import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../../../test/support/accessibility.ts';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { manualRoutes } from '../../service/src/families/page/routes.ts';
import { startServer } from '../../service/test/support/server.ts';

const missing = chromiumPath === null;

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'the manual in Chromium',
  () => {
    let browser: Browser;
    /** One profile for all pages, whose cache keeps the compiled scripts. */
    let profile: BrowserContext;
    let address: string;

    beforeAll(async () => {
      const server = await startServer({ families: [manualRoutes(join(import.meta.dirname, '../dist'))] });
      address = await server.address();
      browser = await launchBrowser();
      profile = await browser.newContext();
    });

    afterAll(() => browser?.close());

    /** A page that may ask the service alone; what it complains about is collected. */
    async function open(path: string, viewport = { width: 1280, height: 800 }) {
      const page = await profile.newPage();
      await page.setViewportSize(viewport);
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.route('**', (route) => {
        const url = route.request().url();
        if (url.startsWith(address) || url.startsWith('data:')) return route.continue();
        complaints.push(`asked for ${url}`);
        return route.abort();
      });
      await page.goto(address + path);
      return { page, complaints };
    }

    const titleOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

    test('search by keyboard finds a section and leads to it', async () => {
      const { page, complaints } = await open('/docs');
      await page.keyboard.press('/');
      await page.keyboard.type('retry-after');
      await page.getByRole('option').first().waitFor();
      await page.getByLabel('Search the manual').fill('humidity supersaturation');
      await page.getByRole('option', { name: /Models in plain words › Humidity/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await page.getByRole('option', { selected: true }).count()).toBe(1);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/.+/);
      expect(complaints).toEqual([]);
    });

    test('search says when nothing is found', async () => {
      const { page } = await open('/docs');
      await page.getByLabel('Search the manual').fill('xylophone');
      await page.getByText('Nothing found').waitFor();
    });

    test('the contents and the links onward lead from page to page', async () => {
      const { page, complaints } = await open('/docs/quick-start');
      expect(await titleOf(page)).toBe('Quick start');
      await page.getByRole('navigation', { name: 'Manual' }).getByText('Glossary').click();
      await page.waitForURL('**/docs/glossary');
      await page
        .getByRole('navigation', { name: 'Previous and next page' })
        .getByRole('link')
        .first()
        .click();
      await page.waitForURL('**/docs/limits');
      expect(complaints).toEqual([]);
    });

    test('fits a phone: nothing is wider than the screen, and the contents fold', async () => {
      const { page } = await open('/docs/trajectory', { width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      const glossary = page.getByRole('navigation', { name: 'Manual' }).getByText('Glossary');
      expect(await glossary.isVisible()).toBe(false);
      await page.locator('#menu summary').click();
      expect(await glossary.isVisible()).toBe(true);
    });

    test.each(['/docs', '/docs/quick-start', '/docs/trajectory'])('%s is accessible', async (path) => {
      const { page, complaints } = await open(path);
      expect(await accessibilityProblems(page)).toEqual([]);
      const broken = await page.evaluate(
        '[...document.images].filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src)',
      );
      expect(broken).toEqual([]);
      expect(complaints).toEqual([]);
    });

    test.each(['light', 'dark'] as const)(
      'text has enough contrast in the %s scheme',
      async (colorScheme) => {
        const { page } = await open('/docs/trajectory');
        await page.emulateMedia({ colorScheme });
        const worst = await page.evaluate<{ ratio: number; text: string }>(`(() => {${WORST_CONTRAST}})()`);
        expect(worst.ratio, worst.text).toBeGreaterThanOrEqual(4.5);
        expect(worst.text).not.toBe('');
      },
    );
  },
);

/** A program for the page: the lowest contrast (WCAG 2) of any text to the ground behind it. */
const WORST_CONTRAST = `
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    if (element === null) return [255, 255, 255, 255];
    const colour = channels(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour : ground(element.parentElement);
  };
  let worst = { ratio: 21, text: '' };
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === 3)
      .map((node) => node.textContent)
      .join('')
      .trim();
    if (text === '' || !element.checkVisibility({ opacityProperty: true })) continue;
    const pair = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text: text.slice(0, 60) };
  }
  return worst;
`;
