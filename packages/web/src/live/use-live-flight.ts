import { ContrailsError, type LiveFlightDetail } from '@contrails/client';
import { useEffect, useState } from 'preact/hooks';
import { messageOf, service } from '../service.ts';

export interface LiveFlightState {
  readonly detail: LiveFlightDetail | undefined;
  readonly error: string | undefined;
}

const NOTHING: LiveFlightState = { detail: undefined, error: undefined };

/** A flight with its minutes, asked for again in every cycle. */
export function useLiveFlight(id: string | undefined, cycle: string | undefined): LiveFlightState {
  const [state, setState] = useState(NOTHING);
  useEffect(() => setState(NOTHING), [id]);
  useEffect(() => {
    if (id === undefined || cycle === undefined) return;
    const stopped = new AbortController();
    service.live.flight(id, { signal: stopped.signal }).then(
      (detail) => setState({ detail, error: undefined }),
      (error: unknown) => {
        if (stopped.signal.aborted) return;
        const isGone = error instanceof ContrailsError && error.status === 404;
        setState(({ detail }) => ({
          detail,
          error: isGone ? 'This flight is no longer in the sky.' : messageOf(error),
        }));
      },
    );
    return () => stopped.abort();
  }, [id, cycle]);
  return state;
}
