import { expect } from 'vitest';
import { goTo, skipTour, type Walk } from './walk.ts';

export const receiverOwner: readonly Walk[] = [
  {
    name: 'a receiver owner reads in words what the service does, and where the manual is',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Status');
      await page.getByText(/Forecast of \d\d UTC on .*: \d+ of \d+ hours ready/).waitFor();
      await page.getByText(/1 day ready, the newest 29 Feb 2024/).waitFor();
      for (const name of ['Manual', 'API']) {
        expect(await page.getByRole('main').getByRole('link', { name, exact: true }).isVisible()).toBe(true);
      }
    },
  },
  {
    name: 'a receiver owner sees what became of the reports, flight by flight',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Inventory');
      await page.getByText(/\d+ of \d+ legs of the telemetry are in the inventory/).waitFor();
      await page.getByRole('link', { name: 'Flights', exact: true }).click();
      await page.getByRole('button', { name: 'Quality' }).click();
      const quality = page.locator('.flights tbody tr td:last-child').first();
      expect(await quality.textContent()).toMatch(/^[A-D]/);
    },
  },
];
