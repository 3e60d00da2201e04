import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MINUTE_MS, sharedFloat32 } from '@contrails/runtime';
import { makeAxis } from '../field/axis.ts';
import type { FieldValues } from '../field/field.ts';
import type { ReadOptions } from '../source.ts';

/**
 * Memory that is done with, for what is read next. Shared memory goes back to the system only when every thread that
 * ever saw it has cleared up, which threads with little else to clear put off, so a budget is kept best by using it
 * again.
 */
export interface SlabMemory {
  readonly allocate: NonNullable<ReadOptions['allocate']>;
  /** Takes back memory that is no longer used. */
  recycle(values: FieldValues): void;
  /** What is in reserve [bytes]. */
  reserveBytes(): number;
}

/** Room is made a while before it is needed; what is not needed then is of a size that is not in use any more [ms]. */
const IDLE_MS = MINUTE_MS;

/** Keeps no more than `idleBytes` in reserve. */
export function createSlabMemory(idleBytes: number, now: () => number = () => performance.now()): SlabMemory {
  /** Oldest first. */
  const free: { readonly values: Float32Array; readonly sinceMs: number }[] = [];

  const take = (length: number): Float32Array => {
    const at = free.findLastIndex(({ values }) => values.length === length);
    const [found] = at < 0 ? [] : free.splice(at, 1);
    return (found?.values ?? sharedFloat32(length)).fill(Number.NaN);
  };
  const reserveBytes = () => free.reduce((sum, { values }) => sum + values.byteLength, 0);
  let timer: NodeJS.Timeout | undefined;
  let droppedBytes = 0;
  const letGo = () => {
    clearTimeout(timer);
    let bytes = reserveBytes();
    for (let oldest = free[0]; oldest !== undefined; oldest = free[0]) {
      if (bytes <= idleBytes && now() - oldest.sinceMs < IDLE_MS) break;
      bytes -= oldest.values.byteLength;
      droppedBytes += oldest.values.byteLength;
      free.shift();
    }
    // When nothing is read any more, nothing else lets the reserve go.
    if (free.length > 0 || droppedBytes > 0) timer = setTimeout(tidyUp, IDLE_MS).unref();
  };
  /** V8 does not count shared memory, so that it would put off looking for what was dropped for hours. */
  const tidyUp = () => {
    letGo();
    if (droppedBytes === 0) return;
    droppedBytes = 0;
    collect();
  };

  return {
    reserveBytes,
    recycle(values) {
      if (values instanceof Float32Array) free.push({ values, sinceMs: now() });
      letGo();
    },
    allocate(variables, axes) {
      const length = axes.longitude.length * axes.latitude.length * axes.level.length * variables.length;
      const slabs = Array.from({ length: axes.time.length }, () => take(length));
      return {
        variables,
        longitude: makeAxis(axes.longitude),
        latitude: makeAxis(axes.latitude),
        level: makeAxis(axes.level),
        time: makeAxis(axes.time),
        slabs,
      };
    },
  };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const collector = runInNewContext('gc') as (options: { type: 'major'; execution: 'async' }) => void;
  collector({ type: 'major', execution: 'async' });
}
