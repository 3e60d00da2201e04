import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../shell/session.ts';

/** The service rounds its clock, and answers take their time [ms]. */
const SAME_MS = 3000;
const TICK_MS = 1000;

/** The clock of the service, which may not be that of this machine [ms since 1970]. */
export function useClock(): () => number {
  const { status } = useSession();
  const aheadMs = useRef(0);
  useEffect(() => {
    if (status === undefined) return;
    const difference = Date.parse(status.time) - Date.now();
    aheadMs.current = Math.abs(difference) < SAME_MS ? 0 : difference;
  }, [status]);
  return useCallback(() => Date.now() + aheadMs.current, []);
}

/** The time, every second. */
export function useTicks(clock: () => number): number {
  const [nowMs, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock()), TICK_MS);
    return () => clearInterval(timer);
  }, [clock]);
  return nowMs;
}
