import { defineKernel } from '@contrails/runtime/compute';
import { detectInTile, type RidgeImages, type Tile } from './ridge-tile.ts';

export default defineKernel<{ readonly images: RidgeImages; readonly tiles: readonly Tile[] }>(
  ({ images, tiles }) =>
    (index, { throwIfCancelled }) => {
      throwIfCancelled();
      const tile = tiles[index];
      if (tile !== undefined) detectInTile(images, tile);
    },
);
