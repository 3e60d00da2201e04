import type { Attributions } from '@contrails/client';
import { energyText } from '../text.ts';

export type SeenFlight = Attributions[number];

const STATUSES: Readonly<Record<string, string>> = {
  attributed: 'its contrail was seen',
  not_observed: 'no contrail was seen',
  partial_coverage: 'partly in view, no contrail was seen',
  no_coverage: 'out of view of the satellites',
  not_analyzed: 'not analysed',
  pending: 'not known yet',
  not_found: 'unknown: telemetry has no such flight',
  malformed: 'not a flight',
};

interface FlightEvidenceProps {
  readonly flights: readonly SeenFlight[];
  readonly chosen: string | undefined;
  readonly onChoose: (flight: string | undefined) => void;
}

/** Flights with what was seen of them; one at a time is open and drawn on the map. */
export function FlightEvidence({ flights, chosen, onChoose }: FlightEvidenceProps) {
  return (
    <ul class="evidence">
      {flights.map((flight) => (
        <li key={flight.flight}>
          <button
            type="button"
            class="link"
            aria-expanded={flight.flight === chosen}
            onClick={() => onChoose(flight.flight === chosen ? undefined : flight.flight)}
          >
            {flight.flight_details?.callsign ?? flight.flight}
          </button>{' '}
          <span>
            {flight.flight_details?.aircraft_type_icao ?? ''}{' '}
            {STATUSES[flight.status_detail] ?? flight.status}
            {flight.status_detail === 'attributed' && `, ${kilometres(flight)} km`}
            {flight.reason != null && `: ${flight.reason}`}
          </span>
          {flight.flight === chosen && <Evidence flight={flight} />}
        </li>
      ))}
    </ul>
  );
}

function kilometres({ summary }: SeenFlight): string {
  return Math.round((summary?.contrail_length_m ?? 0) / 1000).toLocaleString('en');
}

function Evidence({
  flight: { observations, summary, coverage, methodology },
}: {
  readonly flight: SeenFlight;
}) {
  const forcing = summary?.energy_forcing_J;
  return (
    <div class="scroll">
      <p class="hint">
        {coverage !== undefined &&
          `${coverage.frames_used} images of ${coverage.satellites.join(', ')}, ${coverage.frames_missing} missing. `}
        {forcing != null && `Energy forcing of what was seen: ${energyText(forcing)}. `}
        {methodology !== undefined && `Detector ${methodology.detector}.`}
      </p>
      {observations.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Image, UTC</th>
              <th scope="col" class="number">
                Age
              </th>
              <th scope="col" class="number">
                Away
              </th>
              <th scope="col" class="number">
                Angle
              </th>
              <th scope="col" class="number">
                Probability
              </th>
            </tr>
          </thead>
          <tbody>
            {observations.flatMap(({ time, detections }) =>
              detections.map(({ id, age_s, distance_m, angle_deg, probability }) => (
                <tr key={`${time} ${id}`}>
                  <th scope="row">{time.slice(11, 16)}</th>
                  <td class="number">{Math.round(age_s / 60)} min</td>
                  <td class="number">{(distance_m / 1000).toFixed(1)} km</td>
                  <td class="number">{Math.round(angle_deg)}°</td>
                  <td class="number">{Math.round(100 * probability)} %</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      )}
    </div>
  );
}
