import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import type { FlightInput } from '../track.ts';
import { linkedInventoryFlight } from './inventory-flight.ts';

/** Computes the flight of the inventory that the address names; returns why it cannot be had. */
export function useLinkedFlight(
  parameters: URLSearchParams,
  run: (flight: FlightInput) => void,
): string | undefined {
  const { key, connection } = useSession();
  const [error, setError] = useState<string>();
  useEffect(() => {
    setError(undefined);
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    linkedInventoryFlight(parameters, stopped.signal).then(
      (flight) => {
        if (flight !== undefined && !stopped.signal.aborted) run(flight);
      },
      (problem: unknown) => {
        if (!stopped.signal.aborted && !isAbort(problem)) setError(messageOf(problem));
      },
    );
    return () => stopped.abort();
  }, [key, connection, parameters, run]);
  return error;
}
