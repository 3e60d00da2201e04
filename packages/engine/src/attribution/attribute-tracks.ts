/** Attribution of tracks that were given, with segments that were given: no telemetry, no store, no contrail model. */

import { type FlightPoints, type FlightTrack, prepareFlight } from '@contrails/observations/attribution';
import { FRAME_STEP_MS, INSTRUMENTS } from '@contrails/observations/frame';
import { fullDisk, type GridName } from '@contrails/observations/navigation';
import type { Segment } from '@contrails/observations/segments';
import { isoSecond } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { answerOf } from './answer.ts';
import { parseFlightKey } from './flight-key.ts';
import type { FlightResult } from './results.ts';
import { chunkResults, type FollowedChunks, MAX_AGE_MS, newRollState, rollFrames } from './roll-frames.ts';
import { isFollowed, openWindsOf, type Winds } from './winds.ts';

/** What a satellite showed at a time; a frame without contrails has no segments. */
export interface GivenFrame {
  readonly timeMs: number;
  readonly segments: readonly Segment[];
}

export type GivenFlightAnswer = ReturnType<typeof giveAnswer>;

/** One answer for each track, in the order of the tracks: that of the L4 endpoint without forcings. */
export async function attributeTracks(
  services: Winds,
  satellite: GridName,
  frames: readonly GivenFrame[],
  tracks: readonly FlightTrack[],
  signal: AbortSignal,
): Promise<GivenFlightAnswer[]> {
  const ordered = frames.toSorted((a, b) => a.timeMs - b.timeMs);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return [];
  const span = { fromMs: first.timeMs - MAX_AGE_MS, toMs: last.timeMs + FRAME_STEP_MS };
  const prepared = tracks.map(prepareFlight);
  const weather = await openWindsOf(services, prepared.filter(isFollowed), span, signal);
  if (weather === 'missing') {
    throw new UsageError(
      `the weather does not reach from ${isoSecond(span.fromMs)} to ${isoSecond(span.toMs)}, while contrails of these frames drift; give weather of that time`,
    );
  }
  const followed =
    weather === 'nothing'
      ? new Map<string, FollowedChunks>()
      : follow(satellite, ordered, prepared.filter(isFollowed), weather.levels);
  const metSource = weather === 'nothing' ? null : weather.origin.name;
  if (weather !== 'nothing') weather.release();
  return tracks.map((track, k) =>
    giveAnswer(
      track,
      resultOf(prepared[k] ?? { reason: '' }, followed.get(track.flight), satellite, ordered, metSource),
    ),
  );
}

/** What is known of each flight at the end. */
function follow(
  satellite: GridName,
  frames: readonly GivenFrame[],
  flights: readonly FlightPoints[],
  field: Parameters<typeof rollFrames>[0]['field'],
): Map<string, FollowedChunks> {
  const grid = fullDisk(satellite);
  const rolled = rollFrames({
    ...{ state: newRollState(satellite), flights, field },
    frames: frames.map((frame) => ({ ...frame, grid })),
  });
  return new Map(rolled.flights.map((one) => [one.flight, one]));
}

function resultOf(
  points: FlightPoints | { readonly reason: string },
  followed: FollowedChunks | undefined,
  satellite: GridName,
  frames: readonly GivenFrame[],
  metSource: string | null,
): FlightResult {
  const isAnalyzed = isFollowed(points);
  const firstMs = isAnalyzed ? (points.timeMs[0] as number) : 0;
  const lastMs = isAnalyzed ? (points.timeMs.at(-1) as number) : 0;
  const inTime = frames.filter(({ timeMs }) => timeMs >= firstMs && timeMs <= lastMs + MAX_AGE_MS);
  const [first, last] = [inTime[0], inTime.at(-1)];
  const expected =
    first === undefined || last === undefined ? 0 : (last.timeMs - first.timeMs) / FRAME_STEP_MS + 1;
  return {
    satellite,
    instrument: INSTRUMENTS[satellite],
    details: {
      ...{ carrier: null, flight_number: null, departure_date: null, departure_airport_iata: null },
      ...{ arrival_airport_icao: null, icao_address: '', callsign: null, flight_id: '' },
      aircraft_type_icao: null,
    },
    distance_m: isAnalyzed ? points.distanceM : 0,
    ...{ firstMs, lastMs },
    chunks: isAnalyzed && followed !== undefined ? chunkResults(points, followed) : [],
    framesUsed: inTime.length,
    framesMissing: expected - inTime.length,
    isFinal: true,
    expectedByMs: lastMs,
    reason: isAnalyzed ? null : points.reason,
    detector: 'as given',
    metSource,
    cocipVersion: null,
    isSynthetic: false,
  };
}

/** Omits from the endpoint's response what the track does not know. */
function giveAnswer({ flight }: FlightTrack, result: FlightResult) {
  const key = parseFlightKey(flight);
  const named = 'wrong' in key ? { text: flight } : key;
  const {
    flight_details: _,
    methodology,
    ...answer
  } = {
    flight_details: undefined,
    methodology: undefined,
    ...answerOf(named, [result], { view: 'observation' }),
  };
  return {
    ...answer,
    flight,
    methodology:
      methodology === undefined
        ? null
        : { attribution_version: methodology.attribution_version, met_source: methodology.met_source },
  };
}
