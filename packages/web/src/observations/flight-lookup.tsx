import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf, service } from '../service.ts';
import { FlightEvidence, type SeenFlight } from './flight-evidence.tsx';
import { splitKeys } from './observations-state.ts';

interface FlightLookupProps {
  readonly keys: readonly string[];
  readonly onKeys: (keys: readonly string[]) => void;
}

/** Asks for flights by number or callsign; what cannot be read does not keep the others from an answer. */
export function FlightLookup({ keys, onKeys }: FlightLookupProps) {
  const [text, setText] = useState(keys.join(' '));
  const [flights, setFlights] = useState<readonly SeenFlight[]>();
  const [error, setError] = useState<string>();
  const [chosen, setChosen] = useState<string>();

  useEffect(() => {
    setText(keys.join(' '));
    setError(undefined);
    if (keys.length === 0) {
      setFlights(undefined);
      return;
    }
    const stopped = new AbortController();
    service.observations
      .attributions({ flight: [...keys] }, { signal: stopped.signal })
      .then(setFlights, (problem: unknown) => {
        if (stopped.signal.aborted || isAbort(problem)) return;
        setFlights(undefined);
        setError(messageOf(problem));
      });
    return () => stopped.abort();
  }, [keys]);

  return (
    <section aria-label="Look up flights">
      <h2>Look up flights</h2>
      <form
        class="lookup"
        onSubmit={(event) => {
          event.preventDefault();
          onKeys(splitKeys(text));
        }}
      >
        <label class="field grow">
          Flights
          <input
            placeholder="SWR123~2026-01-31"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Look up</button>
      </form>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {flights !== undefined && <FlightEvidence flights={flights} chosen={chosen} onChoose={setChosen} />}
      <p class="hint">
        Callsign and date, or carrier, number, date and airport of departure (IATA or ICAO), between “~”:{' '}
        <code>LX~123~2026-01-31~ZRH</code>. Several flights are separated by spaces.
      </p>
    </section>
  );
}
