import type { PgBoss } from 'pg-boss';
import type { Queryable } from '../../database/database.ts';
import type { Change, Listener } from '../engine.ts';

const CHANNEL = 'contrails_jobs';

/** Notifies listening workers once the transaction is committed. */
export async function announce(tx: Queryable, change: Change): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, change]);
}

export interface Changes {
  listen(onChange: (change: Change) => void): Listener;
  /** Begins to listen if that failed so far; the connection mends itself later. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

/** Hears the announcements of all processes on one connection, held while there is a listener. */
export function createChanges(boss: PgBoss): Changes {
  const listeners = new Set<(change: Change) => void>();
  let connection: Promise<{ close(): Promise<void> } | undefined> | undefined;
  const emit = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const heard = (payload: string) => emit(payload === 'cancelled' ? 'cancelled' : 'queued');
  /** Notifications that were missed while the connection was down. */
  const reconnected = () => {
    emit('queued');
    emit('cancelled');
  };
  const ensure = async () => {
    if (listeners.size === 0) return;
    connection ??= Promise.resolve(boss.getDb().listen?.(CHANNEL, heard, reconnected));
    try {
      await connection;
    } catch (error) {
      connection = undefined;
      throw error;
    }
  };
  const close = async () => {
    const closing = connection;
    connection = undefined;
    await (await closing?.catch(() => undefined))?.close();
  };
  return {
    ensure,
    close,
    listen(onChange) {
      listeners.add(onChange);
      // A failure shows, and is made good, at the next upkeep.
      ensure().catch(() => undefined);
      return {
        async close() {
          listeners.delete(onChange);
          if (listeners.size === 0) await close();
        },
      };
    },
  };
}
