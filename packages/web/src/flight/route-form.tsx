import { useCallback, useState } from 'preact/hooks';
import { AIRCRAFT_TYPES, FLIGHT_LEVELS } from '../map/map-state.ts';
import { distanceKm } from '../track.ts';
import { rangeWarning } from './aircraft-limits.ts';
import { AirportField } from './airport-field.tsx';
import type { Airport } from './airports.ts';
import type { RouteChoice } from './flight-link.ts';
import { type RoutePlan, routeFlight } from './route-flight.ts';

interface RouteFormProps {
  /** What the form begins with. */
  readonly initial: RouteChoice;
  readonly onRoute: (plan: RoutePlan) => void;
}

/** A flight between two airports, with an aircraft, a level and a time of departure. */
export function RouteForm({ initial, onRoute }: RouteFormProps) {
  const [from, setFrom] = useState<Airport>();
  const [to, setTo] = useState<Airport>();
  const [aircraftType, setType] = useState(initial.aircraftType);
  const [flightLevel, setLevel] = useState(initial.flightLevel);
  const [departure, setDeparture] = useState(initial.departure);
  const [error, setError] = useState<string>();
  const onFrom = useCallback(setFrom, []);
  const onTo = useCallback(setTo, []);
  const warning =
    from !== undefined && to !== undefined ? rangeWarning(aircraftType, distanceKm(from, to)) : undefined;

  const submit = (event: Event) => {
    event.preventDefault();
    const departureMs = Date.parse(`${departure}Z`);
    if (from === undefined || to === undefined)
      return setError('Choose two airports: type a code, or a town or name and choose from the list.');
    if (Number.isNaN(departureMs)) return setError('Give a time of departure.');
    const plan = { from, to, aircraftType, flightLevel, departureMs };
    try {
      routeFlight(plan);
      setError(undefined);
      onRoute(plan);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    }
  };

  return (
    <form class="route-form" onSubmit={submit}>
      <div class="pair">
        <AirportField label="From" id="airport-from" initial={initial.from} onChange={onFrom} />
        <AirportField label="To" id="airport-to" initial={initial.to} onChange={onTo} />
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
      {warning !== undefined && (
        <p class="warnings" role="status">
          {warning}
        </p>
      )}
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
