import { expect } from 'vitest';
import { chooseAirport, goTo, skipTour, type Walk } from './walk.ts';

export const planner: readonly Walk[] = [
  {
    name: 'a planner compares levels at other prices, and has a link to the comparison',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      await page.getByText(/Frankfurt.*\(EDDF\)/).waitFor();
      await page.getByLabel('Departure, UTC').fill('2024-02-29T06:00');
      await page.getByRole('button', { name: 'Compute contrails' }).click();
      await page.getByRole('heading', { name: 'EDDF–KJFK A333' }).waitFor();
      await page.getByRole('button', { name: 'Compare levels' }).click();
      await page.getByText(/^Best is the lowest cost: .* at 50 per tonne/).waitFor();
      expect(await page.locator('.levels .best').count()).toBe(1);
      await page.getByText('What counts').click();
      await page.getByLabel('CO₂e, per tonne').fill('200');
      await page.getByLabel('CO₂e, per tonne').press('Tab');
      await page.getByRole('button', { name: 'Compare again' }).click();
      await page.getByText(/^Best is the lowest cost: .* at 200 per tonne/).waitFor();
      await page.getByText('contrails plan profile FLIGHT --uncertainty 50 --carbon-price 200').waitFor();
      await page.waitForURL(/from=EDDF&to=KJFK&type=A333&fl=350&departure=2024-02-29T06:00&carbon_price=200/);
    },
  },
  {
    name: 'a planner is warned of a route that is too long, and chooses one of the airports of a town',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      await page.getByText(/Frankfurt.*\(EDDF\)/).waitFor();
      await page.getByRole('combobox', { name: /^Aircraft/ }).selectOption('A320');
      await page.getByText(/beyond the range of the A320/).waitFor();
      await chooseAirport(page, 'To', 'London', /London Heathrow/);
      await page.getByText(/\(EGLL\)/).waitFor();
      expect(await page.getByText(/beyond the range/).count()).toBe(0);
      await page.getByLabel('Departure, UTC').fill('2024-02-29T06:00');
      await page.getByRole('button', { name: 'Compute contrails' }).click();
      await page.getByRole('heading', { name: 'EDDF–EGLL A320' }).waitFor();
      await page.waitForURL(/from=EDDF&to=EGLL&type=A320/);
    },
  },
];
