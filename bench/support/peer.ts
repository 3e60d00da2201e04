import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readTools } from '../../test/support/tools.ts';

/** Timings of a Python peer by name, or why there are none. The peer runs on one core, as ours does. */
export type PeerTimings =
  | { readonly timings: Readonly<Record<string, number>> }
  | { readonly missing: string };

/** Runs `bench/peer/<name>.py`, which prints one JSON object of nanoseconds per element. */
export function runPeer(name: string): PeerTimings {
  const { python, missing } = readTools();
  if (python === null) return { missing: missing.python ?? 'Python is not set up' };
  const script = fileURLToPath(new URL(`../peer/${name}.py`, import.meta.url));
  const answer = execFileSync(python, [script], {
    encoding: 'utf8',
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  return { timings: JSON.parse(answer) as Record<string, number> };
}

/** One line per measurement: ours, the peer and the ratio of both. */
export function printBesidePeer(
  unit: string,
  ours: Readonly<Record<string, number>>,
  peer: PeerTimings,
): void {
  console.table(
    Object.entries(ours).map(([what, nanoseconds]) => {
      const theirs = 'timings' in peer ? peer.timings[what] : undefined;
      return {
        what,
        [`ours, ${unit}`]: round(nanoseconds),
        [`peer, ${unit}`]: theirs === undefined ? '–' : round(theirs),
        'times faster': theirs === undefined ? '–' : round(theirs / nanoseconds),
      };
    }),
  );
  if ('missing' in peer) console.log(`no peer: ${peer.missing}`);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
