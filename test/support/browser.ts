import { type Browser, chromium } from 'playwright-core';
import { readTools } from './tools.ts';

/** Path of the Chromium on this machine, or null where there is none. */
export const chromiumPath = readTools().chromium;

/** Pages are painted and put together in memory: a processor that imitates a graphics card takes twice as long. */
const WITHOUT_GPU = ['--disable-gpu', '--enable-unsafe-swiftshader'];
/** WebGPU on a GPU that is a program. */
const WITH_WEB_GPU = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** A headless Chromium that can draw WebGL without a graphics card and asks nothing of the network by itself. */
export function launchBrowser({ webGpu = false } = {}): Promise<Browser> {
  if (chromiumPath === null) throw new Error('there is no Chromium on this machine');
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      ...(webGpu ? WITH_WEB_GPU : WITHOUT_GPU),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
