/**
 * Bytes of a model with one layer: a weighted sum of the channels of each pixel, plus a constant. With several frames, oldest
 * first, each has its weights.
 */
export function weightedSumModel(
  weights: readonly number[],
  bias: number,
  tile: number,
  frames = 1,
): Uint8Array {
  const channels = weights.length / frames;
  const inputs = frames === 1 ? [channels] : [frames, channels];
  const ones = inputs.map(() => 1);
  const node = message(
    [1, text('image')],
    [1, text('weights')],
    [1, text('bias')],
    [2, text('prob')],
    [4, text('Conv')],
  );
  const graph = message(
    [1, node],
    [2, text('sum')],
    [5, floats('weights', [1, ...inputs, 1, 1], weights)],
    [5, floats('bias', [1], [bias])],
    [11, tensorInfo('image', [1, ...inputs, tile, tile])],
    [12, tensorInfo('prob', [1, ...ones, tile, tile])],
  );
  return message([1, 8], [8, message([2, 13])], [7, graph]);
}

const FLOAT32 = 1;

type Field = readonly [number: number, value: number | Uint8Array];

function message(...fields: readonly Field[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([number, value]) =>
      typeof value === 'number'
        ? [number * 8, ...varint(value)]
        : [number * 8 + 2, ...varint(value.length), ...value],
    ),
  );
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function floats(name: string, dimensions: readonly number[], values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return message(...dimensions.map((d): Field => [1, d]), [2, FLOAT32], [8, text(name)], [9, bytes]);
}

function tensorInfo(name: string, dimensions: readonly number[]): Uint8Array {
  const shape = message(...dimensions.map((d): Field => [1, message([1, d])]));
  return message([1, text(name)], [2, message([1, message([1, FLOAT32], [2, shape])])]);
}
