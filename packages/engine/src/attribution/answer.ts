/** The L4 response for a flight: the fields of the public contract plus those of the finer record. */

import { createHash } from 'node:crypto';
import { isoSecond } from '@contrails/runtime';
import type { FlightKey } from './flight-key.ts';
import {
  type ChunkResult,
  coveredM,
  type FlightResult,
  type LinkedDetection,
  mergeChunks,
  type Position,
  type StatusDetail,
  statusDetail,
  statusOf,
} from './results.ts';

export const VIEWS = ['observation', 'cocip', 'hybrid'] as const;
export type View = (typeof VIEWS)[number];

const ATTRIBUTION_VERSION = '1.0';

/** Prior that a predicted persistent segment is real, and the chance that a real one would have been seen. */
const PRIOR = 0.5;
const SEEN = 0.6;
const UNSEEN_WEIGHT = (PRIOR * (1 - SEEN)) / (1 - PRIOR * SEEN);

export interface AnswerOptions {
  readonly view: View;
}

/** `results` are those of each satellite for the same flight; none where the flight is not known. */
export function answerOf(
  key: Pick<FlightKey, 'text'>,
  results: readonly FlightResult[],
  { view }: AnswerOptions,
  unresolved?: { readonly detail: StatusDetail; readonly reason: string },
) {
  const detail = unresolved?.detail ?? statusDetail(results);
  const head = { flight: key.text, status: statusOf(detail), status_detail: detail };
  const [first] = results;
  if (first === undefined) {
    return {
      ...head,
      ...(unresolved === undefined ? {} : { reason: unresolved.reason }),
      attributions: [],
      observations: [],
    };
  }
  const expectedByMs = Math.max(...results.map((one) => one.expectedByMs));
  const attributions = results.flatMap((result) =>
    mergeChunks(result.chunks).map((chunks) => attributionOf(result, chunks)),
  );
  const best = bestChunks(results);
  return {
    ...head,
    ...(detail === 'not_analyzed' ? { reason: first.reason } : {}),
    ...(detail === 'pending' ? { expected_by: isoSecond(expectedByMs) } : {}),
    flight_details: first.details,
    coverage: {
      analyzed_distance_m: Math.round(Math.max(...results.map(({ distance_m }) => distance_m))),
      covered_distance_m: Math.round(coveredM(best)),
      satellites: results.map(({ satellite }) => satellite),
      frames_used: sum(results, ({ framesUsed }) => framesUsed),
      frames_missing: sum(results, ({ framesMissing }) => framesMissing),
    },
    summary: {
      contrail_length_m: Math.round(sum(best, ({ isAttributed, length_m }) => (isAttributed ? length_m : 0))),
      energy_forcing_J: forcingOf(best, view),
      cocip_energy_forcing_J: forcingOf(best, 'cocip'),
      attribution_count: attributions.length,
    },
    observations: results.flatMap((result) => observationsOf(result)),
    attributions,
    methodology: {
      view,
      attribution_version: ATTRIBUTION_VERSION,
      detector: first.detector,
      met_source: first.metSource,
      cocip_version: first.cocipVersion,
      is_synthetic: results.some(({ isSynthetic }) => isSynthetic),
    },
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Of each ten minutes the record of the satellite that saw most of them. */
function bestChunks(results: readonly FlightResult[]): ChunkResult[] {
  const rank = ({ isAttributed, isCovered }: ChunkResult) => (isAttributed ? 2 : isCovered ? 1 : 0);
  const best = new Map<number, ChunkResult>();
  for (const chunk of results.flatMap(({ chunks }) => chunks)) {
    const known = best.get(chunk.startMs);
    if (known === undefined || rank(chunk) > rank(known)) best.set(chunk.startMs, chunk);
  }
  return [...best.values()].sort((a, b) => a.startMs - b.startMs);
}

/** [J]; null where the model has not run. */
function forcingOf(chunks: readonly ChunkResult[], view: View): number | null {
  let total = 0;
  for (const chunk of chunks) {
    const { isAttributed, isCovered, model } = chunk;
    if (view === 'observation' && !isAttributed) continue;
    if (model === null) return null;
    if (view === 'cocip') total += model.ef_J;
    else if (isAttributed) {
      const seen = seenForcing([chunk]).joules;
      if (seen === null) return null;
      total += seen;
    } else total += model.ef_J * (isCovered ? UNSEEN_WEIGHT : 1);
  }
  return rounded(total);
}

/** What is attributed of the forcing: that of the model, or a nominal one where the model has no persistent contrail. */
function seenForcing(chunks: readonly ChunkResult[]): {
  readonly joules: number | null;
  readonly method: 'cocip' | 'nominal' | null;
  readonly isPersistent: boolean | null;
} {
  if (chunks.some(({ model }) => model === null)) return { joules: null, method: null, isPersistent: null };
  const models = chunks.flatMap(({ model }) => model ?? []);
  const isPersistent = models.some(({ persistent_m }) => persistent_m > 0);
  if (isPersistent) return { joules: sum(models, ({ ef_J }) => ef_J), method: 'cocip', isPersistent };
  const isKnown = models.every(({ nominal_J }) => nominal_J !== null);
  return {
    joules: isKnown ? sum(models, ({ nominal_J }) => nominal_J ?? 0) : null,
    method: 'nominal',
    isPersistent,
  };
}

/** A line needs two positions. */
const MIN_LINE_POINTS = 2;

function attributionOf({ satellite, chunks: all }: FlightResult, chunks: readonly ChunkResult[]) {
  const [first, last] = [chunks[0] as ChunkResult, chunks.at(-1) as ChunkResult];
  const seen = chunks.filter(({ isAttributed }) => isAttributed);
  const detections = seen.flatMap((chunk) => chunk.detections);
  const ages = detections.map(({ age_s }) => age_s);
  const lengthM = Math.round(sum(chunks, ({ length_m }) => length_m));
  const { joules, method, isPersistent } = seenForcing(chunks);
  const total = all.every(({ model }) => model !== null) ? sum(all, ({ model }) => model?.ef_J ?? 0) : 0;
  const contrails = seen.flatMap(({ contrail }) =>
    contrail === null || contrail.line.length < MIN_LINE_POINTS ? [] : [contrail],
  );
  const contrailMs = Math.max(...contrails.map(({ timeMs }) => timeMs));
  const best = seen.reduce((most, chunk) => (chunk.evidence > most.evidence ? chunk : most), first);
  return {
    id: createHash('sha256')
      .update(`${satellite}|${first.startMs}|${last.endMs}|${detections.map(({ id }) => id).join(',')}`)
      .digest('hex')
      .slice(0, 16),
    start_time: isoSecond(first.startMs),
    end_time: isoSecond(last.endMs),
    length_meters: lengthM,
    effective_energy_forcing_joules: rounded(joules),
    flight_geometry: lineString(joined(chunks.map(({ line }) => line))),
    contrail_geometry:
      contrails.length === 0
        ? null
        : {
            time: isoSecond(contrailMs),
            ...lineString(
              joined(contrails.filter(({ timeMs }) => timeMs === contrailMs).map(({ line }) => line)),
            ),
          },
    length_m: lengthM,
    confidence: decimals(sum(seen, ({ confidence }) => confidence) / seen.length, 3),
    evidence: decimals(best.evidence, 2),
    normal_wind_error_m_s: decimals(best.windError, 2),
    first_seen_age_s: ages.length === 0 ? null : Math.round(Math.min(...ages)),
    last_seen_age_s: ages.length === 0 ? null : Math.round(Math.max(...ages)),
    observation_ids: [...new Set(detections.map(({ frameMs }) => observationId(satellite, frameMs)))].sort(),
    energy_forcing_J: rounded(joules),
    energy_forcing_share: joules === null || total === 0 ? null : decimals(joules / total, 4),
    energy_forcing_method: method,
    cocip_persistent: isPersistent,
  };
}

function observationId(satellite: string, frameMs: number): string {
  return `${satellite}/${isoSecond(frameMs)}`;
}

/** Frames with detections that are linked to the flight. */
function observationsOf({ satellite, instrument, chunks }: FlightResult) {
  const byFrame = new Map<number, Map<string, LinkedDetection>>();
  for (const { detections, isAttributed } of chunks) {
    if (!isAttributed) continue;
    for (const detection of detections) {
      const frame = byFrame.get(detection.frameMs) ?? new Map<string, LinkedDetection>();
      byFrame.set(detection.frameMs, frame);
      const known = frame.get(detection.id);
      if (known === undefined || detection.probability > known.probability)
        frame.set(detection.id, detection);
    }
  }
  return [...byFrame]
    .sort(([a], [b]) => a - b)
    .map(([frameMs, found]) => {
      const detections = [...found.values()];
      const time = isoSecond(frameMs);
      return {
        id: observationId(satellite, frameMs),
        time,
        length_meters: sum(detections, ({ length_m }) => length_m),
        source: satellite,
        satellite,
        instrument,
        detections: detections.map(({ frameMs: _, length_m: __, ...detection }) => detection),
        image: imageAddress(satellite, time),
      };
    });
}

/** Of the L1 file of a frame. */
function imageAddress(satellite: string, time: string): string {
  return `/v1/observations/provider-a/source-a/L1/detections?time=${time.replace('Z', '')}&satellite=${satellite}`;
}

function lineString(coordinates: readonly Position[]) {
  return { type: 'LineString' as const, coordinates: coordinates.map((position) => [...position]) };
}

/** Chunks share the point at which one ends and the next begins. */
function joined(lines: readonly (readonly Position[])[]): Position[] {
  return lines
    .flat()
    .filter(
      (position, k, all) =>
        k === 0 || position.some((value, axis) => value !== (all[k - 1] as Position)[axis]),
    );
}

function decimals(value: number, digits: number): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

/** Numbers of answers carry seven digits. */
function rounded(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(7));
}
