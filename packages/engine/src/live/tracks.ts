/** The reports of the last hours of all airframes that feeds report. */
import { REPORT_NAMES, type TelemetryColumns } from '@contrails/flights';
import { type BoundingBox, contains } from '../grid/layout.ts';
import { AirframeTrack, type TrackNames } from './airframe-track.ts';
import { ReportMemory } from './report-rows.ts';

/** Reports of one source, as ingest stores them. */
export interface ReportBlock {
  readonly source: string;
  readonly columns: TelemetryColumns;
  readonly legFlag: Uint8Array;
}

/** Reports from the ground have an address and a time. */
export interface GroundBlock {
  readonly source: string;
  readonly timestamp: Float64Array;
  readonly icaoAddress: readonly string[];
}

/** An airframe without a report for so long is gone: its contrails live on without it. */
export const GONE_MS = 30 * 60_000;

export class LiveTracks {
  readonly #tracks = new Map<string, AirframeTrack>();
  readonly #memory = new ReportMemory();
  readonly #maxBytes: number;
  readonly #box: BoundingBox | undefined;
  /** Airframes that went because memory was short. */
  evicted = 0;

  /** Reports from outside the box are passed over. */
  constructor(maxBytes: number, box?: BoundingBox) {
    this.#maxBytes = maxBytes;
    this.#box = box;
  }

  get size(): number {
    return this.#tracks.size;
  }

  /** That reports take. */
  get bytes(): number {
    return this.#tracks.values().reduce((sum, track) => sum + track.bytes, 0);
  }

  all(): IterableIterator<AirframeTrack> {
    return this.#tracks.values();
  }

  get(icaoAddress: string): AirframeTrack | undefined {
    return this.#tracks.get(icaoAddress);
  }

  /** Times of the oldest and the newest report [ms since 1970]. */
  span(): [firstMs: number, lastMs: number] {
    let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const track of this.#tracks.values()) {
      firstMs = Math.min(firstMs, track.firstMs);
      lastMs = Math.max(lastMs, track.lastSeenMs);
    }
    return [firstMs, lastMs];
  }

  /** Takes reports from `sinceMs` on; returns the airframes whose newest position or state has changed. */
  add({ source, columns, legFlag }: ReportBlock, sinceMs: number): Set<string> {
    const changed = new Set<string>();
    for (let row = 0; row < columns.timestamp.length; row++) {
      const timeMs = columns.timestamp[row] as number;
      const longitude = columns.longitude[row] as number;
      const latitude = columns.latitude[row] as number;
      if (!(timeMs >= sinceMs) || (this.#box && !contains(this.#box, longitude, latitude))) continue;
      const track = this.#trackOf(columns.icao_address[row] as string);
      const isNew = track.add({
        timeMs,
        source,
        longitude,
        latitude,
        altitudeBaroFt: columns.altitude_baro[row] as number,
        altitudeGnssFt: columns.altitude_gnss[row] as number,
        nic: columns.nic[row] as number,
        nacp: columns.nacp[row] as number,
        beginsLeg: legFlag[row] === 1,
        isOnGround: false,
        names: namesOf(columns, row),
      });
      if (isNew) changed.add(track.icaoAddress);
    }
    return changed;
  }

  addGround({ source, timestamp, icaoAddress }: GroundBlock, sinceMs: number): Set<string> {
    const changed = new Set<string>();
    for (let row = 0; row < timestamp.length; row++) {
      const timeMs = timestamp[row] as number;
      if (!(timeMs >= sinceMs)) continue;
      const address = icaoAddress[row] as string;
      // Where it stands is not known: with a box, only aircraft that were seen in it are followed.
      if (this.#box && !this.#tracks.has(address)) continue;
      const track = this.#trackOf(address);
      if (track.add({ ...ON_GROUND, timeMs, source })) changed.add(track.icaoAddress);
    }
    return changed;
  }

  /** Forgets reports before a time, and the airframes that were not seen for longest while memory is short. */
  forget(beforeMs: number): void {
    for (const track of this.#tracks.values()) {
      track.forgetBefore(beforeMs);
      if (track.count === 0) this.#tracks.delete(track.icaoAddress);
    }
    let { bytes } = this;
    if (bytes <= this.#maxBytes) return;
    const oldestFirst = [...this.#tracks.values()].sort((a, b) => a.lastSeenMs - b.lastSeenMs);
    for (const track of oldestFirst) {
      if (bytes <= this.#maxBytes) return;
      this.#tracks.delete(track.icaoAddress);
      this.evicted++;
      bytes -= track.bytes;
      track.clear();
    }
  }

  #trackOf(icaoAddress: string): AirframeTrack {
    let track = this.#tracks.get(icaoAddress);
    if (track === undefined) {
      track = new AirframeTrack(icaoAddress, this.#memory);
      this.#tracks.set(icaoAddress, track);
    }
    return track;
  }
}

const ON_GROUND = {
  longitude: Number.NaN,
  latitude: Number.NaN,
  altitudeBaroFt: Number.NaN,
  altitudeGnssFt: Number.NaN,
  nic: Number.NaN,
  nacp: Number.NaN,
  beginsLeg: false,
  isOnGround: true,
  names: undefined,
} as const;

function namesOf(columns: TelemetryColumns, row: number): TrackNames {
  return REPORT_NAMES.map((name) => {
    const value = columns[name][row];
    return value == null || Number.isNaN(value) ? null : String(value);
  });
}
