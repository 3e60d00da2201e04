import { AsyncLocalStorage } from 'node:async_hooks';
import { createLimiter } from '@contrails/runtime';
import type { Queryable } from './database.ts';

export interface Transactions {
  /** Runs `work` on a handle that runs one statement at a time and refuses to be used after the end. */
  run<T>(tx: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Throws when called from inside `work` of an open transaction: on SQLite such a statement would wait for
   * its own transaction forever, on PostgreSQL it would silently run outside it.
   */
  refuseInside(): void;
}

export function createTransactions(): Transactions {
  const current = new AsyncLocalStorage<{ open: boolean }>();
  return {
    refuseInside() {
      if (current.getStore()?.open) {
        throw new Error(
          'the database was used inside its own transaction; use the handle of the transaction',
        );
      }
    },
    async run(tx, work) {
      const state = { open: true };
      const oneAtATime = createLimiter(1);
      const guarded = <T>(statement: () => Promise<T>): Promise<T> =>
        oneAtATime(() => {
          if (!state.open) throw new Error('the transaction has ended; its handle can no longer be used');
          return statement();
        });
      const handle: Queryable = {
        dialect: tx.dialect,
        query: (sql, values) => guarded(() => tx.query(sql, values)),
        execute: (sql, values) => guarded(() => tx.execute(sql, values)),
      };
      try {
        return await current.run(state, () => work(handle));
      } finally {
        // A statement that `work` started and did not wait for must end before COMMIT or ROLLBACK.
        await oneAtATime(() => {
          state.open = false;
        });
      }
    },
  };
}
