import { givenTo } from '@contrails/engine/flights/aircraft';
import { finishFlight } from '@contrails/engine/flights/finish-flight';
import { airAlongFlight, withLevels } from '@contrails/engine/flights/flight-air';
import { followFlights } from '@contrails/engine/flights/follow-flights';
import { outputColumns } from '@contrails/engine/flights/models';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from '@contrails/engine/flights/options';
import { makeEvaluation, prepareFlight } from '@contrails/engine/flights/prepare-flight';
import type { OpenWeather } from '@contrails/met';
import {
  contrailSources,
  evaluateFlightInAir,
  followContrails,
  type TrajectoryContrails,
} from '@contrails/physics/cocip';
import type { FlightWith } from '@contrails/physics/flight';
import type { PeerFlight } from './flights.ts';

export type Columns = Readonly<Record<string, Float64Array>>;

export interface OurFlight {
  /** As the service returns it. */
  readonly columns: Columns;
  /** Energy forcing with the forcing rounded to single precision where the peer does it [J]. */
  readonly roundedForcing: Float64Array;
  /** What the energy forcing would be if long and short waves did not work against each other [J]. */
  readonly grossForcing: Float64Array;
}

const INCLUDES = ['performance', 'emissions', 'met'] as const;

export function flightRunner(
  { weather }: OpenWeather,
  options: Partial<TrajectoryOptions>,
): (flight: PeerFlight) => OurFlight {
  const evaluation = makeEvaluation(
    'cocip',
    { ...DEFAULT_TRAJECTORY_OPTIONS, ...options, includes: INCLUDES },
    weather,
  );
  return (flight) => {
    const posted = columnsOf(flight);
    const about = { id: flight.id, aircraftType: flight.aircraftType };
    const count = flight.time.length;
    const columns = Object.fromEntries(
      outputColumns('cocip', INCLUDES).map((name) => [name, new Float64Array(count)]),
    );
    const same = (waypoint: number) => waypoint;
    const task = { out: columns, flight: posted, about, indexInRequest: same, indexInAnswer: same };
    const prepared = prepareFlight(task, evaluation);
    const [contrails] = prepared === undefined ? [] : followFlights([prepared], evaluation, () => {});
    finishFlight(prepared, contrails, evaluation);

    const params = { ...evaluation.params, singlePrecisionForcing: true };
    const located = withLevels(posted);
    const air = airAlongFlight(located, weather, evaluation.scaleHumidity);
    const given = givenTo(located, about, evaluation.needs);
    const evaluated = evaluateFlightInAir(given.flight, air, given.attributes, params);
    const grossForcing = new Float64Array(count);
    const rounded = followContrails(
      contrailSources(evaluated, 0, given.attributes, params),
      [0],
      { formation: weather, evolution: () => weather },
      evaluation.scaleHumidity,
      params,
      ({ waypoint, energyForcing, rfSw, rfLw, rfNet }, n) => {
        for (let i = 0; i < n; i++) {
          const net = Math.abs(rfNet[i] as number);
          if (!(net > 0)) continue;
          const gross = (Math.abs(rfSw[i] as number) + Math.abs(rfLw[i] as number)) / net;
          const w = waypoint[i] as number;
          grossForcing[w] = (grossForcing[w] as number) + gross * Math.abs(energyForcing[i] as number);
        }
      },
    );
    return { columns, roundedForcing: energyOf(rounded, columns), grossForcing };
  };
}

/** Where there are no contrails, nothing is rounded. */
function energyOf(contrails: TrajectoryContrails, { energy_forcing }: Columns): Float64Array {
  return contrails.flightsFollowed[0] === 1 ? contrails.energyForcing : (energy_forcing as Float64Array);
}

function columnsOf(flight: PeerFlight): FlightWith<'altitudeFt'> {
  return {
    timeMs: Float64Array.from(flight.time, (seconds) => 1000 * seconds),
    longitude: Float64Array.from(flight.longitude),
    latitude: Float64Array.from(flight.latitude),
    altitudeFt: Float64Array.from(flight.altitudeFt),
  };
}
