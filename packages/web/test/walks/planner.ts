import { expect } from 'vitest';
import { chooseAirport, goTo, openLayers, skipTour, type Walk } from './walk.ts';

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
  {
    name: 'a planner searches routes, and looks at points of the front by keyboard',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      await page.getByText(/Frankfurt.*\(EDDF\)/).waitFor();
      await chooseAirport(page, 'To', 'Athens', /Athens/);
      await page.getByRole('combobox', { name: /^Aircraft/ }).selectOption('A320');
      await page.getByLabel('Departure, UTC').fill('2024-02-29T06:00');
      await page.getByRole('button', { name: 'Compute contrails' }).click();
      await page.getByRole('heading', { name: /^EDDF–LG.* A320/ }).waitFor();
      await page.getByRole('button', { name: 'Search routes' }).click();
      const points = page.getByRole('radiogroup', { name: 'Routes' }).getByRole('radio');
      await points.first().waitFor();
      expect(await points.count()).toBeGreaterThanOrEqual(3);
      await page.getByText('Fuel of the cruise, t').waitFor();
      // On the map, and in the chart as it is saved.
      for (const place of ['.legend', '.chart']) {
        await page.locator(place).getByText('great circle', { exact: true }).waitFor();
      }
      const selected = page.getByRole('radiogroup', { name: 'Routes' }).getByRole('radio', { checked: true });
      await points.first().focus();
      await page.keyboard.press('Enter');
      const before = await selected.getAttribute('aria-label');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => selected.getAttribute('aria-label')).not.toBe(before);
      const after = await selected.getAttribute('aria-label');
      await page
        .getByText(after as string, { exact: true })
        .last()
        .waitFor();
      await page.getByRole('img', { name: /Vertical profile/ }).waitFor();
      await page.getByText(/^contrails plan route FLIGHT --front verified --contrails compute/).waitFor();
      await page.getByRole('button', { name: 'Show the flight again' }).click();
      await expect.poll(() => selected.count()).toBe(0);
      await points.nth(1).click();
      await page.getByRole('button', { name: 'Show the flight again' }).waitFor();
    },
  },
  {
    name: 'a planner widens regions, and sees what that costs and catches',
    async walk(page, isPhone) {
      await skipTour(page);
      await openLayers(page, isPhone);
      await page.getByRole('radio', { name: /Persistent contrails/ }).press('Space');
      const slider = page.getByRole('slider', { name: 'Buffer, cells of 0.25°' });
      await page.getByText(/^No buffer: hit rate 57 %, flying affected 7 %/).waitFor();
      await slider.press('ArrowRight');
      await slider.press('ArrowRight');
      await page.getByText(/^2 cells: hit rate 57 → 78 %, flying affected 7 → 12 %/).waitFor();
      await page.getByRole('img', { name: /^Skill curve. 2 cells/ }).waitFor();
      await page.waitForURL(/buffer=2/);
    },
  },
];
