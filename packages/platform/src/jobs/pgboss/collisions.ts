import { UnavailableError } from '@contrails/runtime/errors';
import type { Database, Queryable } from '../../database/database.ts';

const ATTEMPTS = 4;
const DEADLOCK = '40P01';

/** A transaction that is repeated when PostgreSQL aborts it to resolve a deadlock. */
export async function transact<T>(database: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  const cause = error instanceof UnavailableError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === DEADLOCK;
}
