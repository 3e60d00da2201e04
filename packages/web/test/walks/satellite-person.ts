import { expect } from 'vitest';
import { goTo, skipTour, type Walk } from './walk.ts';

export const satellitePerson: readonly Walk[] = [
  {
    name: 'a satellite person sees the newest image with its lines, and a link restores it',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Satellites');
      await page.getByText(/goes-east: 1 of 1 images are ready/).waitFor();
      await page.getByText(/[1-9]\d* lines of/).waitFor();
      await page.getByText(/No contrail of this day is attributed to a flight yet\./).waitFor();
      await page.getByText(/has no inventory yet, so there is nothing to compare/).waitFor();
      await page.waitForURL(/#\/observations\?date=\d/);
      const link = page.url();
      await page.goto('about:blank');
      await page.goto(link);
      await page.getByText(/[1-9]\d* lines of/).waitFor();
    },
  },
  {
    name: 'a satellite person looks flights up, and what cannot be read does not keep the others',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Satellites');
      const flights = page.getByLabel('Flights', { exact: true });
      await flights.fill('nonsense XA~9999~2024-03-07~KJFK XAB12~2024-03-07');
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.getByText(/not a flight: flight "nonsense" is not accepted/).waitFor();
      expect(await page.locator('.evidence li').count()).toBe(3);
      await page.waitForURL(/#\/observations\?date=.*flights=nonsense/);
    },
  },
];
