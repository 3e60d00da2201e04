import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** What a click downloads. */
export async function downloaded(page: Page, click: () => Promise<void>) {
  const download = page.waitForEvent('download');
  await click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}
