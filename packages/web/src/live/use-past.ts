import { ContrailsError } from '@contrails/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, service } from '../service.ts';
import { MINUTE_MS } from './live-state.ts';
import { Sky } from './sky.ts';
import { clockText } from './sky-text.ts';

/** Minutes that are kept for the way back. */
const MAX_KEPT = 12;

interface Past {
  readonly timeMs: number;
  /** Undefined where the service has none of the minute, or it could not be had. */
  readonly sky: Sky | undefined;
  readonly error: string | undefined;
}

/** The sky of a past minute; what was shown before stays until it is there. */
export function usePast(timeMs: number | undefined): {
  readonly past: Past | undefined;
  readonly isLoading: boolean;
} {
  const [past, setPast] = useState<Past>();
  const kept = useRef(new Map<number, Sky>());

  useEffect(() => {
    if (timeMs === undefined) {
      setPast(undefined);
      kept.current.clear();
      return;
    }
    const stopped = new AbortController();
    const { signal } = stopped;
    loadMinute(kept.current, timeMs, signal).then(
      (sky) => {
        if (signal.aborted) return;
        setPast({ timeMs, sky, error: undefined });
        // The next one that is played.
        loadMinute(kept.current, timeMs + MINUTE_MS, signal).catch(() => undefined);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const isMissing = error instanceof ContrailsError && error.status === 404;
        const message = isMissing ? `The sky of ${clockText(timeMs)} UTC is not kept.` : messageOf(error);
        setPast({ timeMs, sky: undefined, error: message });
      },
    );
    return () => stopped.abort();
  }, [timeMs]);

  return { past, isLoading: timeMs !== undefined && past?.timeMs !== timeMs };
}

async function loadMinute(kept: Map<number, Sky>, timeMs: number, signal: AbortSignal): Promise<Sky> {
  const known = kept.get(timeMs);
  if (known !== undefined) return known;
  const sky = Sky.at(await service.live.at({ time: new Date(timeMs).toISOString() }, { signal }));
  kept.set(timeMs, sky);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return sky;
}
