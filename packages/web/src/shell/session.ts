/** What every view knows of the service: the key, whether it is reachable, and what it has. */

import type { ServiceStatus } from '@contrails/client';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { onReachable, service, visitorKey } from '../service.ts';
import { keepKey, readKey } from '../session-key.ts';
import type { Theme } from '../stage/basemap-style.ts';
import type { MapStage } from '../stage/stage.ts';

export interface Session {
  /** `missing` until a key is there; `waiting` while the app looks for one. */
  readonly key: 'waiting' | 'missing' | 'present';
  readonly isReachable: boolean;
  /** Counts connections: what depends on the service is loaded again when it grows. */
  readonly connection: number;
  readonly status: ServiceStatus | undefined;
  readonly theme: Theme;
  /** The map behind the views; undefined while it is loaded. */
  readonly stage: MapStage | undefined;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a view is shown outside the app');
  return session;
}

const OFFLINE_RETRY_MS = 2_000;
const STATUS_MS = 15_000;

export function useConnection() {
  const [isReachable, setReachable] = useState(true);
  const [connection, setConnection] = useState(0);

  useEffect(
    () =>
      onReachable((reached) => {
        setReachable((before) => {
          if (reached && !before) setConnection((count) => count + 1);
          return reached;
        });
      }),
    [],
  );

  useEffect(() => {
    if (isReachable) return;
    // Whether it succeeds is reported to the listener above.
    const timer = setInterval(() => service.status.health().catch(() => undefined), OFFLINE_RETRY_MS);
    return () => clearInterval(timer);
  }, [isReachable]);

  return { isReachable, connection };
}

/** The key of this tab, or the one that the demo gives to everyone. */
export function useKey(connection: number) {
  const [key, setKey] = useState<Session['key']>(readKey() === undefined ? 'waiting' : 'present');
  useEffect(() => {
    if (key !== 'waiting' || connection < 0) return;
    visitorKey().then(
      (given) => {
        if (given !== null) keepKey(given);
        setKey(given === null ? 'missing' : 'present');
      },
      () => undefined,
    );
  }, [key, connection]);
  return [key, setKey] as const;
}

export function useStatus(key: Session['key'], connection: number): ServiceStatus | undefined {
  const [status, setStatus] = useState<ServiceStatus>();
  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    const refresh = () =>
      service.status.overview({ signal: stopped.signal }).then(setStatus, () => undefined);
    refresh();
    const timer = setInterval(refresh, STATUS_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [key, connection]);
  return status;
}
