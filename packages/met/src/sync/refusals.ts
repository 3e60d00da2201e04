/** Errors of a sync that cannot go on, with the remedy. */
import { DAY_MS, HOUR_MS, isoDate, isoSecond } from '@contrails/runtime';
import { type RemoteFailure, SyncError } from './failures.ts';
import type { IncompleteRun } from './find-run.ts';
import type { PlannedFile, Provider } from './provider.ts';

/** Why a root did not give what was wanted. */
export interface RootFailure {
  readonly root: string;
  readonly error: RemoteFailure;
}

const MEBIBYTE = 2 ** 20;
/** Left free after a fetch, plus a share of it. */
const SPARE_BYTES = 200 * MEBIBYTE;
const SPARE_SHARE = 0.05;

/** No root gave an answer. */
export function allRootsFailed(source: string, failures: readonly RootFailure[]): SyncError {
  const shown = failures.map(({ root, error }) => `${root} ${error.did}`).join(', ');
  const cause = failures.at(-1)?.error.cause ?? failures.at(-1)?.error;
  const [, reason] = /cannot be reached \((.*?)\)/.exec(String((cause as Error)?.message)) ?? [];
  return failures.length === 1 && reason !== undefined
    ? new SyncError(
        `${failures[0]?.root} cannot be reached (${reason})`,
        'check the network or HTTPS_PROXY, or use --root',
        { cause },
      )
    : new SyncError(`${source}: ${shown}`, 'run the command again, it continues', { cause });
}

/** No run of the last days is complete. */
export function noCompleteRun(
  { name }: Provider,
  asOfMs: number,
  roots: readonly string[],
  newest: IncompleteRun | undefined,
): SyncError {
  const shown = newest === undefined ? 'none' : `${shownRun(newest.runMs)}, ${shownSteps(newest)}`;
  return new SyncError(
    `no complete run of ${name} within 48 h before ${isoSecond(asOfMs)} at ${roots.join(', ')}; newest: ${shown}`,
    newest === undefined
      ? 'check --as-of and --root'
      : `try again in about ${waitMinutes(newest)} min, or --run`,
  );
}

/** The run or the day that was asked for is not there as a whole. */
export function runNotThere(
  { name, type }: Provider,
  runMs: number,
  roots: readonly string[],
  incomplete: IncompleteRun | undefined,
  lastDay: string | undefined,
): SyncError {
  const what = type === 'reanalysis' ? isoDate(runMs) : `run ${shownRun(runMs)}`;
  if (incomplete === undefined) {
    return new SyncError(
      `${what} of ${name} is not there at ${roots.join(', ')}${lastDay === undefined ? '' : `, which ends at ${lastDay}`}`,
      type === 'reanalysis' ? 'use era5-cds, or ARCO-ERA5 as a zarr source' : 'choose another --run',
    );
  }
  const shorter = incomplete.lastHour === undefined ? '' : `, or --hours ${incomplete.lastHour}`;
  return new SyncError(
    `${what} of ${name} is not complete: ${shownSteps(incomplete)}`,
    `try again in about ${waitMinutes(incomplete)} min${shorter}`,
  );
}

const shownSteps = ({ present, wanted }: IncompleteRun) => `${present} of ${wanted} steps`;

/** Most sources take an hour and a half to write a run. */
const waitMinutes = ({ present, wanted }: IncompleteRun) => Math.ceil((9 * (wanted - present)) / wanted) * 10;

export function stepFailed(
  { step }: PlannedFile,
  runMs: number,
  failures: readonly RootFailure[],
): SyncError {
  const where = `step ${step} h of run ${shownRun(runMs)}`;
  const cause = failures.find(({ error }) => error.kind === 'different')?.error ?? failures.at(-1)?.error;
  if (failures.every(({ error }) => error.kind === 'damaged')) {
    return new SyncError(
      `${where}: ${cause?.message.replace(' is damaged', ' is damaged on every root')}`,
      'run the command again later',
      { cause },
    );
  }
  const shown = failures.map(({ root, error }) => `${root} ${error.did}`).join(', ');
  return new SyncError(`${where}: ${shown}`, 'run the command again, it continues', { cause });
}

export function requireSpace(bytes: number, free: number, directory: string): void {
  const needed = bytes * (1 + SPARE_SHARE) + SPARE_BYTES;
  if (bytes === 0 || free > needed) return;
  throw new SyncError(
    `needs ${mebibytes(needed)} MiB, ${mebibytes(free)} MiB are free in ${directory}`,
    'use --hours, --levels or --keep',
  );
}

const mebibytes = (bytes: number) => Math.ceil(bytes / MEBIBYTE);

export function asSyncError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
    return new SyncError('the disk is full', 'free some space and run the command again, it continues', {
      cause: error,
    });
  }
  return error;
}

/** `2026-09-14 00 UTC` */
export function shownRun(ms: number): string {
  return `${isoDate(ms)} ${String(Math.floor((ms % DAY_MS) / HOUR_MS)).padStart(2, '0')} UTC`;
}
