import { HOUR_MS } from '@contrails/runtime';

/** Parts of the start of a run, as archives name them. */
export function compactRun(runMs: number): {
  readonly day: string;
  readonly hour: string;
  readonly name: string;
} {
  const compact = new Date(runMs).toISOString().replace(/[-:]/g, '');
  return { day: compact.slice(0, 8), hour: compact.slice(9, 11), name: compact.slice(0, 11) };
}

/** Steps from 0, with a spacing up to an hour each, to the first that is not before `hours` [h]. */
export function stepsUpTo(
  hours: number,
  spacings: readonly (readonly [step: number, upTo: number])[],
): number[] {
  const steps = [0];
  for (const [spacing, upTo] of spacings) {
    while ((steps.at(-1) ?? 0) < Math.min(hours, upTo)) steps.push((steps.at(-1) ?? 0) + spacing);
  }
  return steps;
}

/** The last 06 or 18 UTC before a time. */
export function startBefore(ms: number): number {
  return Math.ceil((ms - 6 * HOUR_MS) / (12 * HOUR_MS) - 1) * 12 * HOUR_MS + 6 * HOUR_MS;
}
