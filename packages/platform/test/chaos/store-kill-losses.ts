import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { ObjectInfo, Store } from '../../src/store/index.ts';

const HASH_BYTES = 32;

/** Random bytes behind their own hash. */
export function selfProving(length: number): Buffer {
  const random = randomBytes(length);
  return Buffer.concat([createHash('sha256').update(random).digest(), random]);
}

/** What is wrong with the object; undefined when it is whole or not there. */
export async function lossOf(store: Store, key: string): Promise<string | undefined> {
  const found = await store.read(key);
  if (found === undefined) return undefined;
  const bytes = await buffer(found.body);
  return wrongInfo(found.info, bytes) ?? (provesItself(bytes) ? undefined : `${key} is torn`);
}

/** What a round has lost: torn objects, and reports of a writer that are not true. */
export async function findLosses(
  store: Store,
  reports: ReadonlyMap<string, readonly string[]>,
  counts: Readonly<Record<string, number>>,
): Promise<{ losses: string[]; objects: number; unreported: number }> {
  const losses: string[] = [];
  let objects = 0;
  let unreported = 0;
  for await (const { key } of store.list('')) {
    objects += 1;
    const loss = key.endsWith('.bin') ? await lossOf(store, key) : undefined;
    if (loss !== undefined) losses.push(loss);
  }
  for (const [writer, lines] of reports) {
    const counted = lines.filter((line) => line.startsWith('counted ')).length;
    const recorded = counts[writer] ?? 0;
    // The last count of a killed writer may have been made without being reported.
    if (recorded < counted || recorded > counted + 1) {
      losses.push(`${writer} reported ${counted} counts, ${recorded} were kept`);
    }
    unreported += recorded - counted;
    losses.push(...(await brokenReports(store, lines)));
  }
  return { losses, objects, unreported };
}

async function brokenReports(store: Store, lines: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  const removing = new Set<string>();
  for (const line of [...lines].reverse()) {
    const [what, key = '', sha256] = line.split(' ');
    if (what === 'removing') removing.add(key);
    if (what === 'removed' && (await store.head(key)) !== undefined) broken.push(`${key} came back`);
    if (what === 'put' && !removing.has(key) && (await store.head(key))?.sha256 !== sha256) {
      broken.push(`${key} was reported as put, but is not there`);
    }
  }
  return broken;
}

function wrongInfo(info: ObjectInfo, bytes: Buffer): string | undefined {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (info.sha256 !== sha256)
    return `${info.key} has the hash ${sha256}, but the store reports ${info.sha256}`;
  if (info.size !== bytes.length)
    return `${info.key} has ${bytes.length} bytes, but the store reports ${info.size}`;
  return undefined;
}

function provesItself(bytes: Buffer): boolean {
  const proof = createHash('sha256').update(bytes.subarray(HASH_BYTES)).digest();
  return proof.equals(bytes.subarray(0, HASH_BYTES));
}
