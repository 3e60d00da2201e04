import { HOUR_MS } from '@contrails/runtime';
import type { PlannedFile, Provider, RunsOnRoot } from './provider.ts';

/** How far a run that cannot be taken has come. */
export interface IncompleteRun {
  readonly runMs: number;
  readonly present: number;
  readonly wanted: number;
  /** Last hour before the first step that is missing. */
  readonly lastHour: number | undefined;
}

/** A run with all its files. */
export interface FoundRun {
  readonly runMs: number;
  readonly steps: readonly number[];
  readonly files: readonly PlannedFile[];
}

/** `incomplete` is the newest run of which there is something; it is newer than one that is found. */
export type RunSearch = { readonly incomplete: IncompleteRun | undefined } & (
  | { readonly found: FoundRun }
  | { readonly runMs: number; readonly isThereAlready: true }
  | object
);

const LOOK_BACK_MS = 48 * HOUR_MS;
/** A later run that is so late means that this one has ended. */
const PATIENCE_MS = 6 * HOUR_MS;

/** Starts of runs that may be complete, the newest first. */
export function candidates({ cycleMs, delayMs }: Provider, asOfMs: number): number[] {
  const newest = Math.floor((asOfMs - delayMs) / cycleMs) * cycleMs;
  const runs: number[] = [];
  for (let run = newest; run > asOfMs - LOOK_BACK_MS; run -= cycleMs) runs.push(run);
  return runs;
}

/** The first of some runs that is complete on a root, planned; or how far the newest of them has come. */
export async function findRun(
  provider: Provider,
  onRoot: RunsOnRoot,
  runs: readonly number[],
  steps: readonly number[],
  asOfMs: number,
  isThere: (runMs: number) => boolean,
): Promise<RunSearch> {
  let incomplete: IncompleteRun | undefined;
  for (const runMs of runs) {
    if (isThere(runMs)) return { runMs, isThereAlready: true, incomplete };
    const search = await planRun(provider, onRoot, runMs, steps, asOfMs);
    if ('steps' in search) return { found: search, incomplete };
    if (search.present > 0) incomplete ??= search;
  }
  return { incomplete };
}

async function planRun(
  provider: Provider,
  onRoot: RunsOnRoot,
  runMs: number,
  steps: readonly number[],
  asOfMs: number,
): Promise<FoundRun | IncompleteRun> {
  const last = steps.at(-1) ?? 0;
  const hasEnded = runMs + provider.cycleMs + provider.delayMs + PATIENCE_MS <= asOfMs;
  const isWhole = await onRoot.hasStep(runMs, last);
  if (isWhole || hasEnded) {
    const planned = await planSteps(onRoot, runMs, steps);
    const there = planned.slice(0, firstMissing(planned));
    if (there.length === steps.length || (hasEnded && !isWhole && there.length > 0)) {
      return { runMs, steps: steps.slice(0, there.length), files: there.flatMap((files) => files ?? []) };
    }
    return { runMs, present: there.length, wanted: steps.length, lastHour: steps[there.length - 1] };
  }
  const present: boolean[] = [];
  for (const step of steps) {
    present.push(await onRoot.hasStep(runMs, step));
    if (!present.at(-1)) break;
  }
  const count = present.filter(Boolean).length;
  return { runMs, present: count, wanted: steps.length, lastHour: steps[count - 1] };
}

type PlannedStep = readonly PlannedFile[] | undefined;

/** Index of the first step that is not there, or lacks a field that the first step of the forecast has. */
function firstMissing(planned: readonly PlannedStep[]): number {
  const wanted = fieldsOf(planned[1]);
  const index = planned.findIndex(
    (files, k) => files === undefined || (k > 1 && !fieldsOf(files).isSupersetOf(wanted)),
  );
  return index < 0 ? planned.length : index;
}

function fieldsOf(files: PlannedStep): ReadonlySet<string> {
  const pieces = files?.flatMap((file) => file.pieces) ?? [];
  return new Set(
    pieces.flatMap(({ param, level, member }) =>
      param.split('+').map((one) => [one, level, member].join(' ')),
    ),
  );
}

const AT_ONCE = 8;

/** Plans a few steps at a time, and no further than the first that is missing. */
async function planSteps(
  onRoot: RunsOnRoot,
  runMs: number,
  steps: readonly number[],
): Promise<PlannedStep[]> {
  const planned: PlannedStep[] = [];
  for (let first = 0; first < steps.length; first += AT_ONCE) {
    const some = await Promise.all(
      steps.slice(first, first + AT_ONCE).map((step) => onRoot.planStep(runMs, step)),
    );
    planned.push(...some);
    if (some.includes(undefined)) break;
  }
  return planned;
}
