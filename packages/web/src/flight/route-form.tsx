import { useCallback, useState } from 'preact/hooks';
import { AIRCRAFT_TYPES, FLIGHT_LEVELS, HOUR_MS, hourText } from '../map/map-state.ts';
import type { FlightInput } from '../track.ts';
import { AirportField } from './airport-field.tsx';
import type { Airport } from './airports.ts';
import { routeFlight } from './route-flight.ts';

interface RouteFormProps {
  readonly onFlight: (flight: FlightInput) => void;
}

/** A flight between two airports, with an aircraft, a level and a time of departure. */
export function RouteForm({ onFlight }: RouteFormProps) {
  const [from, setFrom] = useState<Airport>();
  const [to, setTo] = useState<Airport>();
  const [aircraftType, setType] = useState('A320');
  const [flightLevel, setLevel] = useState(350);
  const [departure, setDeparture] = useState(`${hourText(Date.now() + HOUR_MS)}:00`);
  const [error, setError] = useState<string>();
  const onFrom = useCallback(setFrom, []);
  const onTo = useCallback(setTo, []);

  const submit = (event: Event) => {
    event.preventDefault();
    const departureMs = Date.parse(`${departure}Z`);
    if (from === undefined || to === undefined) return setError('Choose two airports by code or name.');
    if (Number.isNaN(departureMs)) return setError('Give a time of departure.');
    try {
      onFlight(routeFlight({ from, to, aircraftType, flightLevel, departureMs }));
      setError(undefined);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    }
  };

  return (
    <form class="route-form" onSubmit={submit}>
      <div class="pair">
        <AirportField label="From" id="airport-from" initial="EDDF" onChange={onFrom} />
        <AirportField label="To" id="airport-to" initial="KJFK" onChange={onTo} />
      </div>
      <div class="pair">
        <label class="field">
          Aircraft
          <select value={aircraftType} onChange={(event) => setType(event.currentTarget.value)}>
            {AIRCRAFT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <label class="field">
          Flight level
          <select
            value={String(flightLevel)}
            onChange={(event) => setLevel(Number(event.currentTarget.value))}
          >
            {FLIGHT_LEVELS.map((level) => (
              <option key={level} value={String(level)}>
                FL{level}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="field">
        Departure, UTC
        <input
          type="datetime-local"
          value={departure}
          onInput={(event) => setDeparture(event.currentTarget.value)}
        />
      </label>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button type="submit" class="primary">
        Compute contrails
      </button>
    </form>
  );
}
