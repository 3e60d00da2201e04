import { type Browser, chromium } from 'playwright-core';
import { readTools } from './tools.ts';

/** Path of the Chromium on this machine, or null where there is none. */
export const chromiumPath = readTools().chromium;

/** A headless Chromium that can draw WebGL without a graphics card and asks nothing of the network by itself. */
export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('there is no Chromium on this machine');
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      // Pages are painted and put together in memory: a processor that imitates a graphics card takes twice as long.
      '--disable-gpu',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
