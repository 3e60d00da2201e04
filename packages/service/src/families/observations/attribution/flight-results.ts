/** What is stored of each flight after some frames: its chunks, and the forcing of those that were seen. */

import { withForcing } from '@contrails/engine/attribution/forcing';
import type { KnownFlight } from '@contrails/engine/attribution/known-flights';
import { detailsOf, type FlightResult } from '@contrails/engine/attribution/results';
import { chunkResults, type FollowedChunks, MAX_AGE_MS } from '@contrails/engine/attribution/roll-frames';
import { isFollowed } from '@contrails/engine/attribution/winds';
import { exclusionsOf, isExcluded } from '@contrails/engine/inventory/leg-record';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { FRAME_STEP_MS } from '@contrails/observations/frame';
import type { Services } from '../../../services.ts';
import type { ObservationsConfig, Satellite } from '../config.ts';
import { EXPECTED_MS, type FrameManifest, type FrameRecord } from '../frames/table.ts';
import { createNominalForcing, modelledFlights } from './forcing.ts';
import type { StoredFlight } from './table.ts';

interface ResultInputs {
  readonly satellite: Satellite;
  readonly frames: readonly FrameRecord[];
  readonly flights: readonly KnownFlight[];
  readonly followed: readonly FollowedChunks[];
  readonly metSource: string | null;
  readonly isWithoutWeather: boolean;
  readonly signal: AbortSignal;
}

/**
 * What is stored of the flights of a turn. The models run once, when a flight with contrails is final. Flights that the
 * operator leaves out are followed, so their contrails are not taken for those of others, but nothing is stored of them.
 */
export async function flightResults(
  services: Pick<Services, 'database' | 'store' | 'met' | 'compute'>,
  config: ObservationsConfig,
  { satellite, frames, flights: all, followed, metSource, isWithoutWeather, signal }: ResultInputs,
): Promise<StoredFlight[]> {
  const exclusions = exclusionsOf(config.inventory);
  const flights = all.filter(({ flight }) => !isExcluded(flight.icaoAddress, flight.airlineIata, exclusions));
  const chunksOf = new Map(followed.map((one) => [one.flight, one]));
  const manifest = frames.findLast((frame) => frame.manifest !== undefined)?.manifest;
  if (manifest === undefined) return [];
  const toModel = flights.filter(({ id }) => {
    const one = chunksOf.get(id);
    return one?.isFinal === true && [...one.decided.values()].some(({ isAttributed }) => isAttributed);
  });
  const models = await modelledFlights(
    services,
    config,
    toModel.map(({ flight }) => flight),
    signal,
  );
  const nominal = createNominalForcing(services);
  const stored: StoredFlight[] = [];
  for (const known of flights) {
    const one = chunksOf.get(known.id);
    const reason = reasonOf(known, isWithoutWeather);
    if (one === undefined && reason === null) continue;
    const base = resultOf(known, one, { satellite, frames, manifest, metSource, reason });
    const modelled = models.get(known.id);
    const chunks =
      modelled === undefined ? base.chunks : await withForcing(nominal, known.flight, modelled, base.chunks);
    stored.push({
      id: known.id,
      name: known.name,
      cruisePoints: isFollowed(known.points) ? known.points.timeMs.length : 0,
      result: { ...base, chunks, cocipVersion: modelled === undefined ? null : MODELING_VERSION },
    });
  }
  return stored;
}

function reasonOf({ points }: KnownFlight, isWithoutWeather: boolean): string | null {
  if ('reason' in points) return points.reason;
  return isWithoutWeather ? 'there is no weather of its time' : null;
}

interface ResultContext {
  readonly satellite: Satellite;
  readonly frames: readonly FrameRecord[];
  readonly manifest: FrameManifest;
  readonly metSource: string | null;
  readonly reason: string | null;
}

function resultOf(
  { flight, name, points }: KnownFlight,
  followed: FollowedChunks | undefined,
  { satellite, frames, manifest, metSource, reason }: ResultContext,
): FlightResult {
  const { timeMs } = flight.columns;
  const [firstMs, lastMs] = [
    followed?.firstMs ?? (timeMs[0] as number),
    followed?.lastMs ?? (timeMs.at(-1) as number),
  ];
  const inTime = frames.filter((frame) => frame.timeMs >= firstMs && frame.timeMs <= lastMs + MAX_AGE_MS);
  const used = inTime.filter((frame) => frame.manifest !== undefined);
  const [firstFrame, lastFrame] = [used[0], used.at(-1)];
  const expected =
    firstFrame === undefined || lastFrame === undefined
      ? 0
      : (lastFrame.timeMs - firstFrame.timeMs) / FRAME_STEP_MS + 1;
  const { detector } = manifest;
  return {
    satellite,
    instrument: manifest.instrument,
    details: detailsOf(flight, name),
    distance_m: isFollowed(points) ? points.distanceM : 0,
    firstMs,
    lastMs,
    chunks: followed === undefined || !isFollowed(points) ? [] : chunkResults(points, followed),
    framesUsed: used.length,
    framesMissing: expected - used.length,
    isFinal: followed?.isFinal ?? reason !== null,
    expectedByMs: lastMs + MAX_AGE_MS + EXPECTED_MS,
    reason,
    detector: `${detector.name} ${detector.version}`,
    metSource,
    cocipVersion: null,
    isSynthetic: manifest.is_synthetic,
  };
}
