/** First visits of people with a purpose, from the start page to their goal, on a desktop and on a phone. */
import type { Locator, Page } from 'playwright-core';

export interface Walk {
  readonly name: string;
  /** Ends at the goal, which is looked at for accessibility and kept as a screenshot. */
  walk(page: Page, isPhone: boolean): Promise<void>;
}

/** The tour begins with the first field on the map. */
export async function skipTour(page: Page): Promise<void> {
  await page.getByText('Index', { exact: true }).waitFor();
  const skip = page.getByRole('button', { name: 'Skip' });
  if ((await skip.count()) > 0) await skip.click();
}

export async function openLayers(page: Page, isPhone: boolean): Promise<void> {
  if (isPhone) await page.getByRole('button', { name: 'Layers' }).click();
}

export async function closeLayers(page: Page, isPhone: boolean): Promise<void> {
  if (isPhone) await page.getByRole('button', { name: 'Layers' }).click();
}

export function goTo(page: Page, view: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
}

/** Replaces the text of a field of airports and chooses from its list. */
export async function chooseAirport(page: Page, label: string, text: string, name: RegExp): Promise<void> {
  const field: Locator = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await page.getByRole('option', { name }).first().click();
}
