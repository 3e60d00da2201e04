import type { Page } from 'playwright-core';
import { type AnimationFrame, animatedWebp } from './animated-webp.ts';

/** Until the map is drawn without a graphics card. */
const DRAWN_MS = 3_000;

/** Pictures of a page, one after the other, as an animation. */
export class Film {
  private readonly frames: AnimationFrame[] = [];
  private readonly page: Page;
  private readonly size: { readonly width: number; readonly height: number };

  constructor(page: Page, size: { readonly width: number; readonly height: number }) {
    this.page = page;
    this.size = size;
  }

  /** Adds what the page shows when it has been drawn. */
  async shoot(durationMs: number): Promise<void> {
    await this.page.waitForTimeout(DRAWN_MS);
    const png = (await this.page.screenshot()).toString('base64');
    const webp = (await this.page.evaluate(asWebp(png, this.size))) as string;
    this.frames.push({ webp: Buffer.from(webp, 'base64'), durationMs });
  }

  develop(): Buffer {
    return animatedWebp(this.frames, this.size);
  }
}

/** For the page, which can draw and encode: the picture in another size as WebP. */
function asWebp(png: string, { width, height }: { readonly width: number; readonly height: number }): string {
  return `(async () => {
    const bytes = Uint8Array.from(atob('${png}'), (character) => character.charCodeAt(0));
    const canvas = new OffscreenCanvas(${width}, ${height});
    canvas.getContext('2d').drawImage(await createImageBitmap(new Blob([bytes])), 0, 0, ${width}, ${height});
    const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.7 });
    let text = '';
    for (const byte of new Uint8Array(await webp.arrayBuffer())) text += String.fromCharCode(byte);
    return btoa(text);
  })()`;
}
