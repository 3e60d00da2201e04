import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import type { FlightInput } from '../track.ts';
import { linkedInventoryFlight } from './inventory-flight.ts';
import { linkedBody } from './linked-body.ts';

/** What of an address names a flight of the inventory or has a flight in it. */
export function flightParameters(parameters: URLSearchParams): [name: string, value: string][] {
  return [...parameters].filter(([name]) => name === 'inventory' || name === 'body');
}

/** Computes the flight that the address names or has in it; returns why it cannot be had. */
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
    const linked = parameters.has('body')
      ? linkedBody(parameters)
      : linkedInventoryFlight(parameters, stopped.signal);
    linked.then(
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
