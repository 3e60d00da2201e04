import { expect } from 'vitest';
import { INVENTORY_DAY } from '../support/demo-app.ts';
import { closeLayers, openLayers, skipTour, type Walk } from './walk.ts';

export const visitor: readonly Walk[] = [
  {
    name: 'a visitor finds out where contrails persist near a place',
    async walk(page, isPhone) {
      await skipTour(page);
      const title = page.getByRole('region', { name: 'What the map shows' });
      await title.getByText('Forecast index, typical (B738)').waitFor();
      await title.getByText(/run of .* UTC/).waitFor();
      await openLayers(page, isPhone);
      await page.getByRole('radio', { name: /Persistent contrails/ }).check();
      await closeLayers(page, isPhone);
      await title.getByRole('heading', { name: 'Persistent contrails' }).waitFor();
      await page.locator('.legend').getByText('contrails form and persist').waitFor();
      if (isPhone) await page.getByRole('button', { name: 'Search' }).click();
      else await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Place, airport or flight' }).fill('reykjavik');
      await page
        .getByRole('option', { name: /Reykjavík/ })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/layer=pcr.*at=6\d\.\d+,-2\d\.\d+/);
      await page.locator('.level-slider output:not(.pending)').waitFor();
    },
  },
  {
    name: 'a visitor follows an aircraft of the traffic to its contrails, and returns to the map',
    async walk(page) {
      await skipTour(page);
      const at = `${new URL(page.url()).origin}/#/map?layer=none&wind=0&traffic=1&time=${INVENTORY_DAY}T12&at=50,0,3.0`;
      await page.goto(at);
      const aircraft = page.getByRole('combobox', { name: /^Aircraft/ });
      await aircraft.selectOption({ index: 1 });
      const name = (await aircraft.locator('option:checked').textContent())?.split(',')[0] ?? '';
      // The address is written as it was given at first, then with its decimals, then with that of the aircraft.
      await page.waitForURL((url) => !/[?&]at=50(\.0+)?,0(\.0+)?,3\.0/.test(url.hash));
      await page.waitForURL(/[?&]aircraft=/);
      const there = page.url();
      await page.getByRole('button', { name: 'Compute its contrails' }).click();
      await page.getByRole('heading', { name: new RegExp(`^${name}`) }).waitFor();
      await page.getByRole('link', { name: 'Map' }).click();
      await page.waitForURL((url) => /[?&]at=/.test(url.hash));
      const camera = (address: string) => new URL(address).hash.replace(/.*[?&]at=/, '');
      expect(camera(page.url())).toBe(camera(there));
      await page.locator('option:checked', { hasText: name }).waitFor({ state: 'attached' });
    },
  },
];
