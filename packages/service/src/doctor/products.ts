import type { Database, Queryable } from '@contrails/platform/database/database';
import type { Finding } from '@contrails/platform/finding';
import type { Jobs } from '@contrails/platform/jobs';
import { auditProducts, settleProducts } from '@contrails/platform/products/lost';
import type { Store } from '@contrails/platform/store';
import { families, productKinds } from '../families/index.ts';

/** Compares the catalogue with the store. */
export async function checkProducts(services: {
  readonly store: Pick<Store, 'list' | 'head'>;
  readonly database: Queryable;
}): Promise<Finding> {
  const { checked, lost } = await auditProducts(services, productKinds);
  if (lost.length === 0) {
    const message =
      checked === 0 ? 'none is stored yet' : `${checked} are stored as the catalogue lists them`;
    return { check: 'products', state: 'ok', message };
  }
  const missing = lost.filter(({ reason }) => reason === 'missing').length;
  const message =
    `${lost.length} of ${checked} stored products do not match the catalogue: ` +
    `${missing} missing, ${lost.length - missing} damaged (${lost[0]?.key})`;
  if (lost.length === checked) {
    const remedy =
      'check that data is the directory or bucket of this database and restore it from a backup, or run "contrails doctor --repair" to have everything computed again';
    return { check: 'products', state: 'fail', message, remedy };
  }
  const remedy =
    'workers compute them again within the hour; run "contrails doctor --repair" to plan them now';
  return { check: 'products', state: 'warn', message, remedy };
}

export interface Repair {
  /** Products whose file is missing or damaged. */
  readonly lost: number;
  /** How many of them new jobs compute again. */
  readonly planned: number;
}

/** Sets lost products aside and plans them again. */
export async function repairProducts(services: {
  readonly store: Store;
  readonly database: Database;
  readonly jobs: Jobs;
}): Promise<Repair> {
  const repair = { lost: 0, planned: 0 };
  for (const { products } of families) {
    if (products === undefined) continue;
    const lost = await settleProducts(services, products.kinds, new AbortController().signal);
    repair.lost += lost.length;
    repair.planned += await products.recompute(services, lost);
  }
  return repair;
}
