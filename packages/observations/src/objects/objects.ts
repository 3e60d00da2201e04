/** Line-shaped objects of an image: regions, their shapes, and pieces of one line merged. */
import { mergeCollinear } from './merge.ts';
import { type DirectionImage, type GrowthLimits, growRegions } from './regions.ts';
import { fitObject, type LineObject } from './shape.ts';

const MIN_PIXELS = 8;
const MIN_PIECE_LENGTH = 7;
const MIN_LENGTH = 15;
const MIN_ELONGATION = 2.5;

export function findObjects(image: DirectionImage, limits: GrowthLimits): LineObject[] {
  const { pixels, starts } = growRegions(image, limits, MIN_PIXELS);
  const pieces: LineObject[] = [];
  for (let k = 0; k + 1 < starts.length; k++) {
    const piece = fitObject(image, pixels.slice(starts[k], starts[k + 1]));
    if (isElongated(piece, MIN_PIECE_LENGTH)) pieces.push(piece);
  }
  return mergeCollinear(image, pieces).filter((object) => isElongated(object, MIN_LENGTH));
}

function isElongated({ length, width }: LineObject, minLength: number): boolean {
  return length >= minLength && length / width >= MIN_ELONGATION;
}
