/** Files with damage that a seed decides, and what our reader and the reference make of them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetError } from '../../src/errors.ts';
import { openClassic } from '../../src/sources/netcdf/classic.ts';

const REFERENCE = join(import.meta.dirname, 'reference_netcdf.py');

/** The whole files that damage is done to, by name. */
export function writeWholeFiles(python: string, directory: string): void {
  execFileSync(python, [REFERENCE, 'write', directory], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Flips bits, sets bytes and copies some elsewhere, mostly where the file is not empty; some files are cut short. */
export function mutate(whole: Uint8Array, seed: number, headBytes = whole.length): Buffer {
  const random = randomNumbers(seed);
  const below = (end: number) => Math.floor(random() * end);
  const used = [...whole.keys()].filter((at) => at < headBytes && (whole[at] !== 0 || whole[at - 1] !== 0));
  const bytes = Buffer.from(whole);
  for (let left = 1 + below(4); left > 0; left--) {
    const at = random() < 0.8 ? (used[below(used.length)] as number) : below(headBytes);
    const kind = random();
    if (kind < 0.5) bytes[at] = (bytes[at] as number) ^ (1 << below(8));
    else if (kind < 0.8) bytes[at] = below(256);
    else bytes.copy(bytes, at, below(headBytes), below(headBytes));
  }
  return random() < 0.1 ? bytes.subarray(0, below(bytes.length)) : bytes;
}

/** Mulberry32: the same numbers on every machine, 0 ≤ x < 1. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Verdict = { readonly digests: Readonly<Record<string, string>> } | { readonly refusal: string };

/** Damages a classic file many times; returns what we take for good and the reference does not, or reads otherwise. */
export function classicFaults(
  python: string,
  directory: string,
  whole: string,
  seeds: readonly number[],
): { readonly accepted: number; readonly refused: number; readonly faults: readonly string[] } {
  const bytes = readFileSync(whole);
  const names = seeds.map((seed) => `${seed}.nc`);
  for (const [i, name] of names.entries()) {
    writeFileSync(join(directory, name), mutate(bytes, seeds[i] as number));
  }
  const answer = execFileSync(python, [REFERENCE, 'judge', directory], { maxBuffer: 2 ** 28 });
  const reference = JSON.parse(answer.toString()) as Record<string, Verdict>;
  const faults: string[] = [];
  let accepted = 0;
  for (const name of names) {
    const ours = judge(join(directory, name));
    const theirs = reference[name];
    if ('refusal' in ours) continue;
    accepted++;
    if (theirs === undefined) continue;
    if ('refusal' in theirs) faults.push(`${name} is accepted, but the reference reports ${theirs.refusal}`);
    else if (JSON.stringify(sorted(ours.digests)) !== JSON.stringify(sorted(theirs.digests)))
      faults.push(`${name} has other values than the reference reads`);
  }
  return { accepted, refused: names.length - accepted, faults };
}

function judge(path: string): Verdict {
  try {
    const file = openClassic(path);
    try {
      const digests = file.header.variables.map((variable) => {
        const loan = file.read(
          variable,
          variable.shape.map(() => 0),
          variable.shape,
        );
        const values = loan.values();
        const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
        return [variable.name, createHash('sha256').update(bytes).digest('hex')] as const;
      });
      return { digests: Object.fromEntries(digests) };
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof MetError) return { refusal: error.message };
    throw error;
  }
}

function sorted(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}
