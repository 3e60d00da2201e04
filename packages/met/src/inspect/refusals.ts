import { isoTime, LruMap } from '@contrails/runtime';
import type { Choice } from '../catalogue/catalogue.ts';
import { MetError } from '../errors.ts';
import type { ValueFinding } from '../field/plausibility.ts';

/** Times that are remembered; more are only read again. */
const MAX_KNOWN = 1000;

/** Weather that was refused for its values. It is read once: as long as the data stay the same, so does the verdict. */
export class Refusals {
  readonly #known = new LruMap<string, MetError>({ capacity: MAX_KNOWN });

  /** Throws what is wrong with one of some times, where that is known. */
  requireUnknown(choice: Choice, times: readonly number[]): void {
    for (const time of times) {
      const error = this.#known.get(keyOf(choice, time));
      if (error !== undefined) throw error;
    }
  }

  /** Throws when the values of one of some times cannot be right; `findings` are those of each time. */
  async requirePlausible(
    choice: Choice,
    times: readonly number[],
    findings: readonly (readonly ValueFinding[])[],
  ): Promise<void> {
    for (const [l, time] of times.entries()) {
      const wrong = findings[l]?.find(({ state }) => state === 'fail');
      if (wrong === undefined) continue;
      const error = await refusalOf(choice, time, wrong);
      this.#known.set(keyOf(choice, time), error);
      throw error;
    }
  }
}

function keyOf({ description: { name, member, generation }, run }: Choice, time: number): string {
  return [name, member, generation, run.referenceTime, time].join('|');
}

async function refusalOf(
  { source, description, run }: Choice,
  time: number,
  { variable, message, remedy }: ValueFinding,
): Promise<MetError> {
  const paths = (await source.pathsOf?.(variable, time, run.referenceTime)) ?? [];
  const where = paths.length === 0 ? '' : ` (${paths.join(', ')})`;
  return new MetError(
    'unreadable',
    `${description.name}: ${message} at ${isoTime(time)}${where}; ${remedy}`,
    { source: description.name, variable, paths, time: isoTime(time) },
  );
}
