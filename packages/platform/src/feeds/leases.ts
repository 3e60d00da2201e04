/** Each source is worked on by one process at a time: whichever holds its lease in the database. */
import { setInterval } from 'node:timers/promises';
import { UnavailableError } from '@contrails/runtime/errors';
import type { Queryable } from '../database/database.ts';

/** A source as its lease names it. */
export interface SourceName {
  /** A table of what one process works on at a time, with `name`, `lease_owner` and `lease_until_ms`; that of a feed also has `error`. */
  readonly table: `${string}_${string}`;
  readonly source: string;
}

/** True when this process may work on the source until then; another process that holds it keeps it. */
export async function leaseSource(
  database: Queryable,
  { table, source }: SourceName,
  owner: string,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  const changed = await database.execute(
    `UPDATE ${table} SET lease_owner = $2, lease_until_ms = $4
     WHERE name = $1 AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until_ms < $3)`,
    [source, owner, nowMs, untilMs],
  );
  return changed > 0;
}

export async function releaseSource(
  database: Queryable,
  { table, source }: SourceName,
  owner: string,
): Promise<void> {
  await database.execute(
    `UPDATE ${table} SET lease_owner = NULL, lease_until_ms = NULL WHERE name = $1 AND lease_owner = $2`,
    [source, owner],
  );
}

const RENEWALS_PER_LEASE = 3;

/**
 * Renews the lease as long as the work takes, such as the import of an archive, so no other process begins it too. The
 * work gets a signal that also aborts when the lease is lost.
 */
export async function whileLeased<T>(
  database: Queryable,
  { owner, leaseMs, ...name }: SourceName & { readonly owner: string; readonly leaseMs: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const lost = new AbortController();
  const renew = async () => {
    for await (const _ of setInterval(leaseMs / RENEWALS_PER_LEASE, undefined, { signal: ended.signal })) {
      const nowMs = Date.now();
      // A database that is away now may be back before the lease is over.
      const isHeld = await leaseSource(database, name, owner, nowMs, nowMs + leaseMs).catch(() => true);
      if (isHeld) continue;
      lost.abort(
        new UnavailableError(
          `another process took over the source ${name.source} while this one stood still`,
        ),
      );
      return;
    }
  };
  const renewing = renew().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    ended.abort();
    await renewing;
  }
}
