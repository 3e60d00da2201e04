/** Smooth noise of unit variance, the same for the same seed; latitude runs fastest. */
export function randomField(
  longitudes: number,
  latitudes: number,
  smoothing: number,
  seed: number,
): Float64Array {
  const random = mulberry(seed);
  let field = Float64Array.from({ length: longitudes * latitudes }, () => random() - 0.5);
  for (let pass = 0; pass < smoothing; pass++) field = smoothed(field, longitudes, latitudes);
  const scale = Math.sqrt(field.reduce((sum, value) => sum + value * value, 0) / field.length);
  return field.map((value) => value / scale);
}

function smoothed(field: Float64Array, longitudes: number, latitudes: number): Float64Array<ArrayBuffer> {
  return Float64Array.from(field, (_, k) => {
    const [i, j] = [Math.floor(k / latitudes), k % latitudes];
    let sum = 0;
    let count = 0;
    for (let ni = Math.max(0, i - 1); ni <= Math.min(longitudes - 1, i + 1); ni++) {
      for (let nj = Math.max(0, j - 1); nj <= Math.min(latitudes - 1, j + 1); nj++) {
        sum += field[ni * latitudes + nj] as number;
        count++;
      }
    }
    return sum / count;
  });
}

/** Numbers in [0, 1). */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
