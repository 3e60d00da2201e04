/** Reads radiation of intervals as planetary albedo and outgoing longwave radiation. */
import { makeAxis } from '../field/axis.ts';
import { type MetField, SINGLE_LEVEL } from '../field/field.ts';
import { type AlbedoRequest, serveAlbedo } from '../radiation/albedo.ts';
import { middleOf, type RadiationInterval } from '../radiation/intervals.ts';
import { requireRadiation } from '../radiation/radiation.ts';
import type { SourceDescription } from '../source.ts';
import { MAX_POINTS_HERE, type RunOptions, Threads } from '../threads/threads.ts';
import { mapOf, type SpatialWindow } from '../windows/windows.ts';
import type { SlabMemory } from './slab-cache.ts';

/** Names of what a field of intervals holds. */
const ALBEDO = 'planetary_albedo';

export interface WantedIntervals {
  readonly description: SourceDescription;
  readonly window: SpatialWindow;
  /** All of the run. */
  readonly intervals: readonly RadiationInterval[];
  /** Indices of the first of those that are wanted, and of the one behind the last. */
  readonly wanted: readonly [from: number, to: number];
}

export class AlbedoReader {
  readonly #threads: Threads<AlbedoRequest, [number, number] | undefined>;

  constructor(threadLimit: number) {
    this.#threads = new Threads(new URL('./albedo-thread.ts', import.meta.url), threadLimit);
  }

  /** `read` gives the stored radiation at some stamps, in memory that is needed only until this returns. */
  async read(
    { description, window, intervals, wanted }: WantedIntervals,
    read: (variables: readonly string[], stamps: readonly number[]) => Promise<MetField>,
    floats: SlabMemory['floats'],
    options: RunOptions,
  ): Promise<MetField> {
    const { pair, variables } = requireRadiation(description);
    const map = mapOf(description, window);
    const indices = Array.from({ length: wanted[1] - wanted[0] }, (_, k) => wanted[0] + k);
    const neighbours = await this.#run(
      indices.map((index) => ({ search: { ...map, intervals, index } })),
      options,
    );
    const ends = neighbours.filter((range) => range !== undefined);
    const first = Math.min(...ends.map(([from]) => from));
    const last = Math.max(...ends.map(([, to]) => to));
    const near = intervals.slice(first, last + 1);
    const stamps = new Set(near.flatMap(({ weights }) => weights.map(({ stampMs }) => stampMs)));
    const stored = await read(
      variables,
      [...stamps].sort((one, other) => one - other),
    );
    const { longitude, latitude, time, slabs } = stored;
    const points = longitude.knots.length * latitude.knots.length;
    const out = indices.map((_, k) => floats(k, 2 * points));
    await this.#run(
      indices.map((index, k) => ({
        fill: {
          longitude: longitude.knots,
          latitude: latitude.knots,
          intervals: near,
          index: index - first,
          kind: pair === 'surface' || pair === 'upward' ? pair : 'net',
          longwaveSign: pair === 'net' || pair === 'surface' ? -1 : 1,
          stored: slabs.map((values, l) => ({ stampMs: time.knots[l] as number, values })),
          out: out[k] as Float32Array,
        },
      })),
      options,
    );
    return {
      variables: [ALBEDO, variables[1]],
      longitude,
      latitude,
      level: makeAxis([SINGLE_LEVEL]),
      time: makeAxis(indices.map((index) => middleOf(intervals[index] as RadiationInterval))),
      slabs: out,
    };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #run(requests: readonly AlbedoRequest[], options: RunOptions): Promise<([number, number] | undefined)[]> {
    const points = requests.reduce((sum, { search, fill }) => {
      const map = search ?? fill;
      return sum + (map === undefined ? 0 : map.longitude.length * map.latitude.length);
    }, 0);
    return points <= MAX_POINTS_HERE
      ? this.#threads.runHere(requests, serveAlbedo, options.signal)
      : this.#threads.run(requests, options);
  }
}
