import { InputError } from '../errors.ts';

/** Times [ms] to resample to: multiples of `freqMs` since 1970, or the given ones, within first and last time. */
export function targetTimes(
  timeMs: Float64Array,
  freqMs: number,
  givenMs: Float64Array | undefined,
): Float64Array {
  if (timeMs.length === 0) return timeMs;
  const first = timeMs[0] as number;
  const last = timeMs[timeMs.length - 1] as number;
  if (givenMs !== undefined) {
    const inside = givenMs.filter((time) => time >= first && time <= last).sort();
    return inside.filter((time, i) => i === 0 || time !== inside[i - 1]);
  }
  if (!(freqMs > 0)) {
    throw new InputError(`freqMs is ${freqMs}; give a positive number of milliseconds`, { freqMs });
  }
  const start = Math.ceil(first / freqMs);
  const count = Math.max(Math.floor(last / freqMs) - start + 1, 0);
  const targets = new Float64Array(count);
  for (let i = 0; i < count; i++) targets[i] = (start + i) * freqMs;
  return targets;
}

export interface MergedTimes {
  readonly timeMs: Float64Array;
  /** Index of each merged time among the known ones; −1 where it is only a target. */
  readonly source: Int32Array;
  readonly isTarget: Uint8Array;
}

/** Both ascending lists of times in one; a time in both stands once. */
export function mergeTimes(known: Float64Array, targets: Float64Array): MergedTimes {
  const size = known.length + targets.length;
  const timeMs = new Float64Array(size);
  const source = new Int32Array(size).fill(-1);
  const isTarget = new Uint8Array(size);
  let [k, t, n] = [0, 0, 0];
  while (k < known.length || t < targets.length) {
    const knownTime = k < known.length ? (known[k] as number) : Number.POSITIVE_INFINITY;
    const targetTime = t < targets.length ? (targets[t] as number) : Number.POSITIVE_INFINITY;
    timeMs[n] = Math.min(knownTime, targetTime);
    if (knownTime <= targetTime) source[n] = k++;
    if (targetTime <= knownTime) {
      isTarget[n] = 1;
      t++;
    }
    n++;
  }
  return { timeMs: timeMs.slice(0, n), source: source.slice(0, n), isTarget: isTarget.slice(0, n) };
}

/** Values at the indices they belong to, NaN elsewhere. */
export function spread(values: Float64Array, source: Int32Array): Float64Array {
  const out = new Float64Array(source.length);
  for (let i = 0; i < out.length; i++) {
    const k = source[i] as number;
    out[i] = k < 0 ? Number.NaN : (values[k] as number);
  }
  return out;
}
