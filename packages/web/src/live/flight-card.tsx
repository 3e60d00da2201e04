import { useEffect, useRef, useState } from 'preact/hooks';
import { ProfileChart } from '../flight/profile-chart.tsx';
import type { ResultPoint } from '../flight/result.ts';
import { mapLink } from '../map/map-memory.ts';
import { FLIGHT_LEVELS } from '../map/map-state.ts';
import { isAbort, messageOf, service } from '../service.ts';
import { handOver } from '../shell/handover.ts';
import { formatRoute, goTo } from '../shell/route.ts';
import { energyText } from '../text.ts';
import { aheadBody, inputOf, levelsText, nameOf } from './live-flight.ts';
import type { Aircraft } from './sky.ts';
import { ageText, aheadText, clockText, levelText } from './sky-text.ts';
import type { LiveFlightState } from './use-live-flight.ts';

const NO_PROPOSAL: never[] = [];

interface FlightCardProps {
  /** Undefined once it is gone. */
  readonly aircraft: Aircraft | undefined;
  readonly flight: LiveFlightState;
  /** Its minutes. */
  readonly points: readonly ResultPoint[];
  readonly nowMs: number;
  /** Index of the minute that is pointed at. */
  readonly pointed: number | undefined;
  readonly onPoint: (index: number | undefined) => void;
  readonly onClose: () => void;
}

/** One flight in the air: what it has left so far, what is ahead of it, and where to go on. */
export function FlightCard({ aircraft, flight, points, nowMs, pointed, onPoint, onClose }: FlightCardProps) {
  const { detail, error } = flight;
  const facts = aircraft?.facts ?? detail?.flight.properties;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="flight-card" aria-label="Flight">
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {facts === undefined ? 'Flight' : nameOf(facts)}
        </h2>
        <button type="button" class="quiet" aria-keyshortcuts="Escape" onClick={onClose}>
          Close
        </button>
      </header>
      {error !== undefined && (
        <p class="notice" role="status">
          {error}
        </p>
      )}
      {facts === undefined && error === undefined && <p aria-busy="true">Loading the flight…</p>}
      {facts !== undefined && <Facts facts={facts} nowMs={nowMs} />}
      {facts !== undefined && <p class="meaning">{aheadText(facts)}</p>}
      {aircraft?.facts.ahead != null && <OtherLevels key={aircraft.facts.id} aircraft={aircraft} />}
      {detail !== undefined && <Contrails detail={detail} />}
      {points.length > 1 && (
        <ProfileChart
          points={points}
          section={undefined}
          proposal={NO_PROPOSAL}
          pointed={pointed}
          onPoint={onPoint}
        />
      )}
      {detail !== undefined && points.length > 1 && (
        <div class="exports">
          <button
            type="button"
            class="primary"
            onClick={() => {
              handOver(inputOf(detail));
              goTo('flight');
            }}
          >
            Compute and plan it
          </button>
          {aircraft !== undefined && (
            <a href={forecastLink(aircraft)} class="button">
              Forecast around it
            </a>
          )}
        </div>
      )}
    </section>
  );
}

type FlightFacts = Aircraft['facts'];

function Facts({ facts, nowMs }: { readonly facts: FlightFacts; readonly nowMs: number }) {
  const { ground_speed_kt: speed, vertical_rate_fpm: rate, track } = facts;
  const isLevel = rate === null || Math.abs(rate) < 300;
  const energy = (value: number | null) =>
    value === null ? 'unknown' : value === 0 ? 'none' : energyText(value);
  return (
    <dl class="facts">
      <dt>Aircraft</dt>
      <dd>
        {facts.aircraft_type_icao ?? 'unknown'}
        {facts.aircraft_type_assumed && ' assumed'}, {facts.icao_address}
      </dd>
      <dt>Now</dt>
      <dd>
        {levelText(facts.altitude_ft)}
        {!isLevel && (rate > 0 ? ', climbs' : ', descends')}
        {speed !== null && `, ${speed} kt`}
        {track !== null && `, ${Math.round(track)}°`}
      </dd>
      <dt>Newest report</dt>
      <dd>
        {ageText(nowMs - Date.parse(facts.last_seen))} ago{facts.state === 'stale' && ', no longer heard'}
      </dd>
      <dt>Followed since</dt>
      <dd>
        {clockText(Date.parse(facts.first_seen))} UTC{facts.truncated && ', began before'}
      </dd>
      <dt>Contrail now</dt>
      <dd>{facts.persistent === null ? 'unknown' : facts.persistent ? 'lasts' : 'none that lasts'}</dd>
      <dt>Energy so far</dt>
      <dd>{energy(facts.energy_forcing_so_far_j)}</dd>
      <dt>Of their whole life</dt>
      <dd>{energy(facts.energy_forcing_j)}</dd>
    </dl>
  );
}

/** The living contrails of the flight. */
function Contrails({ detail: { contrails } }: { readonly detail: NonNullable<LiveFlightState['detail']> }) {
  if (contrails.features.length === 0) return <p class="hint">None of its contrails is left in the sky.</p>;
  return (
    <ul class="sky-contrails" aria-label="Contrails in the sky">
      {contrails.features.map(({ properties: one }) => (
        <li key={one.formed_from}>
          Formed {clockText(Date.parse(one.formed_from))}–{clockText(Date.parse(one.formed_to))} UTC:{' '}
          {Math.round(one.age_max_s / 60)} min old, {(one.width_m / 1000).toFixed(1)} km wide, optical depth{' '}
          {one.optical_depth.toFixed(2)}, {one.net_forcing_w_per_m2 < 0 ? 'cools' : 'warms'} with{' '}
          {Math.abs(one.net_forcing_w_per_m2).toFixed(1)} W/m²
        </li>
      ))}
    </ul>
  );
}

/** Asks the planner which level would leave none. */
function OtherLevels({ aircraft }: { readonly aircraft: Aircraft }) {
  const [answer, setAnswer] = useState<{ readonly text: string; readonly isError?: boolean }>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const ask = async () => {
    const body = aheadBody(aircraft);
    if (body === undefined) return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setRunning(true);
    try {
      const plan = await service.planning.levels(body, { background: false, signal: own.signal });
      if ('flights' in plan) throw new Error('the service planned a fleet');
      setAnswer({ text: levelsText(plan, aircraft.facts.altitude_ft ?? 0) });
    } catch (error) {
      if (own.signal.aborted || isAbort(error)) return;
      setAnswer({ text: messageOf(error), isError: true });
    }
    setRunning(false);
  };
  return (
    <div>
      <button type="button" disabled={isRunning} onClick={ask}>
        {isRunning ? 'Comparing levels…' : 'Would another level leave none?'}
      </button>
      {answer !== undefined && (
        <p class={answer.isError ? 'error' : 'meaning'} role="status">
          {answer.text}
        </p>
      )}
    </div>
  );
}

function forecastLink({ facts, longitude, latitude }: Aircraft): string {
  const level = (facts.altitude_ft ?? 35_000) / 100;
  const [flightLevel = 350] = FLIGHT_LEVELS.toSorted((a, b) => Math.abs(a - level) - Math.abs(b - level));
  const parameters = mapLink(
    { layer: 'index', flightLevel, timeMs: undefined },
    { longitude, latitude, zoom: 5 },
  );
  return formatRoute({ view: 'map', parameters });
}
