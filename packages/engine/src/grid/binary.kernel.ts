import type { RegionFeature } from '@contrails/formats';
import { defineKernel } from '@contrails/runtime/compute';
import { bufferInto } from './buffer.ts';
import { type BinaryField, levelEvaluator } from './evaluate.ts';
import { encodeLevel, type LevelEncoding } from './level.ts';

interface Input extends BinaryField {
  /** Cells that regions are widened by. */
  readonly bufferCells: number;
  /** The cells of the file, among those that are evaluated. */
  readonly wanted: { readonly longitude: Float64Array; readonly latitude: Float64Array };
  readonly encoding: LevelEncoding;
  readonly levels: readonly {
    readonly flightLevel: number;
    readonly properties: RegionFeature['properties'];
  }[];
}

/**
 * A block is a flight level, evaluated and written in one go: of a grid of eighteen levels no more than one for each thread
 * is ever in memory.
 */
export default defineKernel<Input, Uint8Array[]>((input) => {
  const evaluate = levelEvaluator(input);
  const { levels, encoding, wanted, bufferCells } = input;
  const { longitude, latitude } = wanted;
  return (index, context) => {
    const level = levels[index];
    if (level === undefined) throw new RangeError(`there is no level ${index}`);
    const values = bufferInto(evaluate(level.flightLevel), input, wanted, bufferCells);
    context.throwIfCancelled();
    return encodeLevel({ ...level, values, longitude, latitude }, encoding).map((bytes) => {
      // Buffers of zlib may share their memory with others; only what is our own can be handed over.
      const own = new Uint8Array(bytes);
      context.transfer(own.buffer);
      return own;
    });
  };
});
