import type { InventoryTotals } from '@contrails/client';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { downloaded } from '../support/download.ts';
import { goTo, skipTour, type Walk } from './walk.ts';

export const analyst: readonly Walk[] = [
  {
    name: 'an analyst finds out who warms, downloads the flights, and opens one with the numbers of the inventory',
    async walk(page) {
      await skipTour(page);
      await addCoolingDay(page);
      await goTo(page, 'Inventory');
      const calendar = page.getByRole('group', { name: 'Calendar of 2 days, 2024-02-28 to 2024-02-29' });
      await calendar.getByRole('link', { name: /^2024-02-28: −/ }).waitFor();
      // The scale has both ends.
      await calendar.locator('text', { hasText: /^−\d/ }).waitFor();
      await page.getByText(/flights? .*causes? \d+ % of the warming by contrails/).waitFor();
      await page.getByRole('img', { name: /% of the flights cause \d+ % of the warming/ }).waitFor();
      await page.getByRole('link', { name: 'Totals by' }).click();
      await page.getByLabel('Totals by').selectOption('type');
      const chart = 'Contrails by aircraft type';
      await page.getByRole('img', { name: new RegExp(`^${chart}, .*: \\d+ bars`) }).waitFor();
      await page.waitForURL(/tab=groups&by=type/);
      const picture = await downloaded(page, () =>
        page.getByRole('button', { name: `${chart} as PNG` }).click(),
      );
      expect(picture.bytes.subarray(0, 4)).toEqual(Buffer.from('\x89PNG', 'latin1'));
      const first = page.locator('.tab-body tbody th button').first();
      const type = (await first.textContent()) ?? '';
      await first.click();
      const rows = page.locator('.flights tbody tr');
      const types = await rows.locator('td:nth-of-type(1)').allTextContents();
      expect(new Set(types)).toEqual(new Set([type]));
      await page.getByRole('button', { name: 'Flown' }).click();
      const distances = (await rows.locator('td:nth-of-type(5)').allTextContents()).map((text) =>
        Number.parseInt(text.replace(',', ''), 10),
      );
      expect(distances).toEqual([...distances].sort((a, b) => b - a));
      await page.waitForURL(new RegExp(`q=${type}&tab=flights.*sort=-distanceKm`));
      const { bytes } = await downloaded(page, () =>
        page.getByRole('button', { name: 'CSV', exact: true }).click(),
      );
      const [header = '', ...lines] = bytes.toString().trimEnd().split('\n');
      expect(header).toMatch(/^flight_id,/);
      expect(lines).toHaveLength(types.length);
      await rows.first().getByRole('button').click();
      await page.waitForURL(/&flight=/);
      const link = page.url();
      await page.locator('.chosen-flight a').click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await page.waitForURL(/#\/flight\?inventory=2024-02-29\//);
      await page.getByText('What counts').click();
      await page.getByLabel('CO₂e, per tonne').fill('200');
      // What is typed stays while the pointer crosses the chart, which draws the view again.
      await page.getByRole('img', { name: /^Vertical profile/ }).hover();
      expect(await page.getByLabel('CO₂e, per tonne').inputValue()).toBe('200');
      await page.getByLabel('CO₂e, per tonne').press('Tab');
      await page.waitForURL(/#\/flight\?inventory=2024-02-29\/.*&carbon_price=200/);
      await page.goBack();
      await page.locator('.flights').waitFor();
      expect(page.url()).toBe(link);
      await typeDayWhileDrawnAgain(page);
    },
  },
  {
    name: 'an analyst learns what the worst flights could have saved, and can stop waiting',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Inventory');
      await page.getByRole('link', { name: 'Worst ten' }).click();
      const ask = page.getByRole('button', { name: 'What could they have saved?' });
      await ask.click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await ask.click();
      await page.getByText(/flights would have been better at another level: together they/).waitFor();
    },
  },
  {
    name: 'an analyst reads CO2e by another metric, and makes the report of an airline',
    async walk(page, isPhone) {
      await skipTour(page);
      await goTo(page, 'Inventory');
      await page.getByText('Contrail CO₂e, GWP100').waitFor();
      if (isPhone) await page.getByRole('button', { name: 'More' }).click();
      await page.getByLabel('Metric of CO₂e').filter({ visible: true }).selectOption('GTP20');
      await page.getByRole('checkbox', { name: 'efficacy' }).filter({ visible: true }).uncheck();
      if (isPhone) await page.keyboard.press('Escape');
      await page.getByText('Contrail CO₂e, GTP20').waitFor();
      await page.waitForURL(/co2e_metric=gtp&horizon=20&efficacy=false/);
      await page.getByRole('link', { name: 'Totals by' }).click();
      await page.getByText(/CO₂e of contrails, GTP, 20 years, without efficacy/).waitFor();
      const airline = (await page.locator('.tab-body tbody th button').first().textContent()) ?? '';
      await page.getByLabel('Totals by').selectOption('day');
      await page.getByRole('rowheader', { name: '2024-02-29' }).waitFor();
      await page.getByRole('link', { name: 'Report' }).click();
      await page.getByLabel('Airline', { exact: true }).fill(airline);
      await page.getByLabel('Flights that count').selectOption('all');
      const make = page.getByRole('button', { name: 'Make the report' });
      await make.click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await make.click();
      await page.getByText(new RegExp(`[1-9]\\d* of \\d+ flights of ${airline} are reported`)).waitFor();
      const { bytes } = await downloaded(page, () =>
        page.getByRole('button', { name: 'Whole folder (ZIP)' }).click(),
      );
      expect(bytes.subarray(0, 2).toString()).toBe('PK');
      const opened = page.waitForEvent('popup');
      await page.getByRole('button', { name: 'Open the report' }).click();
      const report = await opened;
      await report.getByRole('heading', { name: `Non-CO2 report of ${airline}` }).waitFor();
      await report.close();
    },
  },
];

/** What is typed of a date stays while the view is drawn again, here because its address changes. */
async function typeDayWhileDrawnAgain(page: Page): Promise<void> {
  const day = page.getByLabel('Day', { exact: true });
  const before = await day.inputValue();
  await day.focus();
  await page.keyboard.press('0');
  await page.evaluate(() => {
    location.hash = location.hash.replace('sort=-distanceKm', 'sort=distanceKm');
  });
  await page.locator('th[aria-sort=ascending]').waitFor();
  expect(await day.inputValue()).toBe('');
  // The month; a day of two digits would have to be typed within a second.
  await page.keyboard.press('2');
  expect(await day.inputValue()).toBe(before);
}

/** The days that the service sums, and another one that cools: a calendar needs two, and one takes long to compute. */
async function addCoolingDay(page: Page): Promise<void> {
  await page.route('**/v1/inventory/totals?*', async (route) => {
    const response = await route.fetch();
    const { groups, ...rest } = (await response.json()) as InventoryTotals;
    const [day] = groups;
    const before = day && {
      ...{ ...day, key: '2024-02-28', ef_mj: -1e6 },
      ...{ co2e20_kg: -4e5, co2e50_kg: -3e5, co2e100_kg: -2e5 },
    };
    await route.fulfill({ response, json: { ...rest, groups: [before, ...groups] } });
  });
}
