/** Answers from stored levels, whose files may be missing or damaged. */

import type { File } from '@contrails/platform/http/files';
import type { JobRecord } from '@contrails/platform/jobs';
import { setAside } from '@contrails/platform/products/lost';
import type { ProductStore } from '@contrails/platform/products/publish';
import { type ChunkRange, LostProductError } from '@contrails/platform/products/read';
import type { FoundLevel } from './find-levels.ts';
import { GRID_PRODUCTS } from './manifest.ts';
import type { NotFoundServices } from './not-found.ts';
import { planLost } from './replan.ts';

export interface LostServices extends NotFoundServices {
  readonly database: ProductStore['database'];
}

/** Files that one answer may meet missing or damaged; more than all editions of an hour have. */
const MAX_LOST = 100;

/**
 * An answer from stored levels. A product whose file is missing or damaged is set aside and planned again, and the next
 * best is used; `attempt` throws a `NotFoundError` when there is none. The bytes of an answer that is not in memory any more
 * are read when it is opened: a loss found then is planned again too, and answered 404, because its version has been named.
 */
export async function withoutLost<T extends File | JobRecord>(
  services: LostServices,
  attempt: () => Promise<T>,
): Promise<T> {
  const answer = await retryLost(services, attempt);
  if (!('open' in answer)) return answer;
  return { ...answer, open: (range) => answer.open(range).catch((error) => rethrow(services, error)) };
}

/** The result of an attempt that meets no product whose file is missing or damaged. */
export async function retryLost<T>(services: LostServices, attempt: () => Promise<T>): Promise<T> {
  const met = new Set<string>();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LostProductError) || met.has(error.product.key) || met.size === MAX_LOST) {
        throw error;
      }
      met.add(error.product.key);
      await replanLost(services, error);
    }
  }
}

async function rethrow(services: LostServices, error: unknown): Promise<never> {
  if (error instanceof LostProductError) await replanLost(services, error);
  throw error;
}

async function replanLost({ database, jobs }: LostServices, { product }: LostProductError): Promise<void> {
  // One that was pruned meanwhile is not lost.
  if ((await setAside(database, GRID_PRODUCTS, [product])) === 0) return;
  await planLost(jobs, [product], Date.now());
}

/** Where a level of a variable is in its file. */
export function chunkOf({ product, index }: FoundLevel, variable: string): ChunkRange {
  const range = product.manifest.variables?.find(({ name }) => name === variable)?.chunks[index];
  if (range === undefined) throw new RangeError(`${product.key} has no ${variable} at level ${index}`);
  return range;
}
