import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { FLIGHT_CSV } from '../support/flight-file.ts';
import { goTo, skipTour, type Walk } from './walk.ts';

const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

export const researcher: readonly Walk[] = [
  {
    name: 'a researcher reads the profile of a flight minute by minute and takes the picture away',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      await page.locator('input[type=file]').setInputFiles(file('AB123.csv', FLIGHT_CSV));
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await page.getByText('Track: energy forcing, MJ per metre').waitFor();
      const minute = page.getByRole('slider', { name: 'Minute of the flight' });
      await minute.press('ArrowRight');
      await page.getByText(/06:47 UTC · FL310 · .* · RHi \d+ % · .*lives \d+ min/).waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'PNG', exact: true }).click();
      const picture = await readFile(await (await download).path());
      expect(picture.length).toBeGreaterThan(10_000);
    },
  },
  {
    name: 'a researcher compares NOx and water vapour of a flight with its contrails',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      await page.locator('input[type=file]').setInputFiles(file('AB123.csv', FLIGHT_CSV));
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByText('NOx, water vapour and CO₂ beside the contrails').click();
      for (const name of ['NOx', 'Water vapour', 'Together']) {
        await result.getByRole('row', { name: new RegExp(`^${name} .*\\d (kg|t)$`) }).waitFor();
      }
    },
  },
  {
    name: 'a researcher learns that a flight lies outside the weather, without the flight before it',
    async walk(page) {
      await skipTour(page);
      await goTo(page, 'Flight');
      const drop = page.locator('input[type=file]');
      await drop.setInputFiles(file('AB123.csv', FLIGHT_CSV));
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await drop.setInputFiles(file('later.csv', FLIGHT_CSV.replaceAll('2024-02-29', '2044-03-03')));
      await page
        .getByText(/This flight begins on 3 Mar 2044, 06:46 UTC; weather is available from .* to .*/)
        .waitFor();
      expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0);
    },
  },
];
