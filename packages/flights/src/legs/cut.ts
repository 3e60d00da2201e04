/** Cuts the reports of one airframe into legs: what it flew between a take-off and the next landing. */
import { haversineM } from '@contrails/physics/geodesy';
import {
  type AirframeReports,
  inTimeOrder,
  knownAltitudeFt,
  nameRow,
  rowNumbers,
  timeAt,
} from '../telemetry/airframe-reports.ts';

/** Why a leg begins where it does; the first rule that holds is the reason. */
export type CutReason = 'ground_seen' | 'leg_flag' | 'max_gap' | 'pause' | 'callsign' | 'provider_id';

export interface Leg {
  /** Airborne reports of the leg, in order of time. */
  readonly rows: Uint32Array;
  /** Null for the first leg of the airframe. */
  readonly cut: CutReason | null;
  /** Too few reports or too short to be a flight. */
  readonly isFragment: boolean;
}

/** The columns that decide where legs begin. */
export type CutColumns = Pick<
  AirframeReports,
  | 'timestamp'
  | 'latitude'
  | 'longitude'
  | 'altitude_baro'
  | 'altitude_gnss'
  | 'callsign'
  | 'flight_id'
  | 'onGround'
  | 'legFlag'
  | 'names'
  | 'nameIndex'
>;

const MAX_GAP_MS = 8 * 3_600_000;
const PAUSE_MS = 900_000;
const SLOW_MS = 85;
const FAST_MS = 350;
const LOW_FT = 10_000;
const GROUND_MS = 120_000;
const CALLSIGN_REPORTS = 5;
const CALLSIGN_GAP_MS = 300_000;
const MIN_REPORTS = 10;
const MIN_DURATION_MS = 300_000;
const NEAREST_LEG_MS = 1_200_000;

/** Legs and fragments in order of time. Every airborne report is in exactly one of them. */
export function cutIntoLegs(reports: CutColumns): Leg[] {
  const track = new Track(reports);
  const pieces: Piece[] = [];
  let [first, cut]: [number, CutReason | null] = [0, null];
  let memory = track.hasOtherNames ? new Memory(track, first) : undefined;
  for (let k = 1; k < track.length; k++) {
    const found = localCut(track, k) ?? memory?.cut(k);
    if (found === undefined) {
      memory?.see(k);
      continue;
    }
    pieces.push({ first, end: found.at, cut });
    [first, cut] = [found.at, found.reason];
    memory &&= new Memory(track, first);
    // Reports between the new start and this one belong to the new leg; they are seen again.
    k = first;
  }
  if (track.length > 0) pieces.push({ first, end: track.length, cut });
  return joinUnidentified(track, pieces).map((piece) => ({
    rows: track.rows.subarray(piece.first, piece.end),
    cut: piece.cut,
    isFragment: isFragment(track, piece),
  }));
}

interface Cut {
  /** Index of the first report of the new leg. */
  readonly at: number;
  readonly reason: CutReason;
}

/** Reports from `first` to before `end`. */
interface Piece {
  readonly first: number;
  readonly end: number;
  readonly cut: CutReason | null;
}

/** Airborne reports in order of time, with what the reports on the ground show between them. */
class Track {
  readonly rows: Uint32Array;
  /** Whether the aircraft stood on the ground before the report. */
  readonly ground: Uint8Array;
  /** Whether the source marks a new leg at the report, or on the ground before it. */
  readonly marked: Uint8Array;
  /** How many reports from this one on have its callsign, up to the first with another one and to the end of the leg. */
  readonly callsignAhead: Uint32Array;
  /** Whether callsign or provider's id are ever others. */
  readonly hasOtherNames: boolean;
  private readonly reports: CutColumns;
  private readonly names: Pick<CutColumns, 'callsign' | 'flight_id'>;

  constructor(reports: CutColumns) {
    const { timestamp, onGround, legFlag } = reports;
    this.names = reports.names ?? reports;
    const all = inTimeOrder(timestamp, rowNumbers(timestamp.length));
    this.reports = reports;
    this.rows = onGround?.includes(1) ? all.filter((row) => onGround[row] !== 1) : all;
    const count = this.rows.length;
    this.ground = new Uint8Array(count);
    this.marked = new Uint8Array(count);
    this.hasOtherNames = hasTwoValues(this.names.callsign) || hasTwoValues(this.names.flight_id);
    this.callsignAhead = new Uint32Array(this.hasOtherNames ? count : 0);
    let firstGroundMs = Number.NaN;
    let lastGroundMs = Number.NaN;
    let flag = 0;
    let k = 0;
    for (let i = 0; i < all.length; i++) {
      const row = all[i] as number;
      flag ||= legFlag?.[row] ?? 0;
      if (onGround?.[row] === 1) {
        lastGroundMs = timestamp[row] as number;
        if (Number.isNaN(firstGroundMs)) firstGroundMs = lastGroundMs;
        continue;
      }
      this.ground[k] = lastGroundMs - firstGroundMs >= GROUND_MS ? 1 : 0;
      this.marked[k] = flag;
      firstGroundMs = lastGroundMs = Number.NaN;
      flag = 0;
      k++;
    }
    let held: string | null = null;
    let ahead = 0;
    for (let i = this.callsignAhead.length - 1; i >= 0; i--) {
      // Legs must not depend on later ones, which another window of days may not have.
      if (i + 1 < count && localCut(this, i + 1) !== undefined) held = null;
      const name = this.callsign(i);
      if (name === null) continue;
      ahead = name === held ? ahead + 1 : 1;
      held = name;
      this.callsignAhead[i] = ahead;
    }
  }

  get length(): number {
    return this.rows.length;
  }

  timeMs(k: number): number {
    return timeAt(this.reports.timestamp, this.rows, k);
  }

  altitudeFt(k: number): number {
    return knownAltitudeFt(this.reports, this.rows[k] as number);
  }

  callsign(k: number): string | null {
    return this.names.callsign[nameRow(this.reports, this.rows[k] as number)] ?? null;
  }

  providerId(k: number): string | null {
    return this.names.flight_id[nameRow(this.reports, this.rows[k] as number)] ?? null;
  }

  /** Whether an aircraft could have flown straight from one report to the other. */
  isPlausible(from: number, to: number): boolean {
    const { longitude, latitude } = this.reports;
    const [a, b] = [this.rows[from] as number, this.rows[to] as number];
    const distanceM = haversineM(
      longitude[a] as number,
      latitude[a] as number,
      longitude[b] as number,
      latitude[b] as number,
    );
    const speedMS = distanceM / ((this.timeMs(to) - this.timeMs(from)) / 1000);
    return speedMS >= SLOW_MS && speedMS <= FAST_MS;
  }
}

/** The rules that two neighbouring reports decide by themselves. */
function localCut(track: Track, k: number): Cut | undefined {
  if (track.ground[k] === 1) return { at: k, reason: 'ground_seen' };
  const gapMs = track.timeMs(k) - track.timeMs(k - 1);
  if (track.marked[k] === 1 && (gapMs > PAUSE_MS || isLowBeside(track, k)))
    return { at: k, reason: 'leg_flag' };
  if (gapMs > MAX_GAP_MS) return { at: k, reason: 'max_gap' };
  if (gapMs > PAUSE_MS && !track.isPlausible(k - 1, k)) return { at: k, reason: 'pause' };
  return undefined;
}

function isLowBeside(track: Track, k: number): boolean {
  return track.altitudeFt(k) < LOW_FT || track.altitudeFt(k - 1) < LOW_FT;
}

function hasTwoValues(values: readonly (string | null)[]): boolean {
  let first: string | null = null;
  for (const value of values) {
    if (value === null || value === first) continue;
    if (first !== null) return true;
    first = value;
  }
  return false;
}

/** A value that not every report has, and the way since the last report that had it. */
class Known {
  value: string | null = null;
  at = 0;
  /** How many reports in a row had the value. */
  count = 0;
  maxGapMs = 0;
  minAltitudeFt = Number.POSITIVE_INFINITY;

  see(value: string | null, at: number, gapMs: number, altitudeFt: number): void {
    if (value === null) {
      this.maxGapMs = Math.max(this.maxGapMs, gapMs);
      if (altitudeFt < this.minAltitudeFt) this.minAltitudeFt = altitudeFt;
      return;
    }
    this.count = value === this.value ? this.count + 1 : 1;
    this.value = value;
    this.at = at;
    this.maxGapMs = 0;
    this.minAltitudeFt = altitudeFt;
  }
}

/** Callsign and provider's id of the leg so far. */
class Memory {
  private readonly track: Track;
  private readonly callsign = new Known();
  private readonly providerId = new Known();

  constructor(track: Track, first: number) {
    this.track = track;
    if (first < track.length) this.see(first, 0);
  }

  see(k: number, gapMs = this.track.timeMs(k) - this.track.timeMs(k - 1)): void {
    const altitudeFt = this.track.altitudeFt(k);
    this.callsign.see(this.track.callsign(k), k, gapMs, altitudeFt);
    this.providerId.see(this.track.providerId(k), k, gapMs, altitudeFt);
  }

  cut(k: number): Cut | undefined {
    const { track } = this;
    const [callsign, id] = [track.callsign(k), track.providerId(k)];
    const isOther = callsign !== null && this.callsign.value !== null && callsign !== this.callsign.value;
    if (isOther) {
      const { isLow, gapMs } = this.way(this.callsign, k);
      const isHeld =
        this.callsign.count >= CALLSIGN_REPORTS && (track.callsignAhead[k] as number) >= CALLSIGN_REPORTS;
      if (isHeld && (isLow || gapMs > CALLSIGN_GAP_MS)) return this.between(this.callsign, k, 'callsign');
    }
    if (id === null || this.providerId.value === null || id === this.providerId.value) return undefined;
    const { isLow, gapMs } = this.way(this.providerId, k);
    const isOneFlight = !isLow && !isOther && (gapMs <= PAUSE_MS || track.isPlausible(this.providerId.at, k));
    return isOneFlight ? undefined : this.between(this.providerId, k, 'provider_id');
  }

  private way({ maxGapMs, minAltitudeFt }: Known, k: number): { isLow: boolean; gapMs: number } {
    return {
      isLow: minAltitudeFt < LOW_FT || this.track.altitudeFt(k) < LOW_FT,
      gapMs: Math.max(maxGapMs, this.track.timeMs(k) - this.track.timeMs(k - 1)),
    };
  }

  /** Reports without the value belong to the nearer of the two legs. */
  private between({ at }: Known, k: number, reason: CutReason): Cut {
    const middleMs = (this.track.timeMs(at) + this.track.timeMs(k)) / 2;
    let first = at + 1;
    while (first < k && this.track.timeMs(first) <= middleMs) first++;
    return { at: first, reason };
  }
}

/** A few reports without a provider's id after a pause join the nearest leg that has one. */
function joinUnidentified(track: Track, pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  let waiting: Piece | undefined;
  pieces.forEach((piece, p) => {
    const [before, after] = [joined.at(-1), pieces[p + 1]];
    const gapMs = (from: Piece | undefined, to: Piece | undefined) =>
      from !== undefined && to?.cut === 'pause' && isIdentified(track, from === piece ? to : from)
        ? track.timeMs(to.first) - track.timeMs(from.end - 1)
        : Number.POSITIVE_INFINITY;
    const whole = waiting === undefined ? piece : { first: waiting.first, end: piece.end, cut: waiting.cut };
    waiting = undefined;
    if (isFragment(track, piece) && !hasId(track, piece)) {
      const [backMs, aheadMs] = [gapMs(before, piece), gapMs(piece, after)];
      if (before !== undefined && backMs <= Math.min(aheadMs, NEAREST_LEG_MS)) {
        joined[joined.length - 1] = { ...before, end: piece.end };
        return;
      }
      if (aheadMs <= NEAREST_LEG_MS) {
        waiting = whole;
        return;
      }
    }
    joined.push(whole);
  });
  return joined;
}

function isIdentified(track: Track, piece: Piece): boolean {
  return !isFragment(track, piece) && hasId(track, piece);
}

function hasId(track: Track, { first, end }: Piece): boolean {
  for (let k = first; k < end; k++) if (track.providerId(k) !== null) return true;
  return false;
}

function isFragment(track: Track, { first, end }: Piece): boolean {
  return end - first < MIN_REPORTS || track.timeMs(end - 1) - track.timeMs(first) < MIN_DURATION_MS;
}
