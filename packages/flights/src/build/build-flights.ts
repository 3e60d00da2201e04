/** From the reports of one airframe to its flights. */
import { designator, findAircraftType, knownAircraftTypes } from '@contrails/physics/aircraft';
import { worldAirports } from '../airports/airport-table.ts';
import type { Airports } from '../airports/airports.ts';
import type { PressureAltitude } from '../heal/altitude.ts';
import { type HealedLeg, type HealSettings, healLeg } from '../heal/heal.ts';
import { TEXT_ATTRIBUTES } from '../heal/settle.ts';
import { type CutReason, cutIntoLegs, type Leg } from '../legs/cut.ts';
import { type LegId, type LegIdSettings, legIds } from '../legs/leg-ids.ts';
import { type AirframeReports, nameRow, namesAmong } from '../telemetry/airframe-reports.ts';
import { VIOLATIONS, type Violation, validateFlight } from '../validate.ts';
import { flightQuality, legQuality, type QualityGrade, qualityGrade } from './quality.ts';
import { type ResampledLeg, resampleLeg } from './resample-leg.ts';

export interface BuildSettings extends LegIdSettings {
  /**
   * The rules of the reference pipeline: a flight that was not seen near both of its airports is rejected, altitudes lie
   * between 0 and 55,000 ft, the type of the aircraft does not shape the altitude in gaps, and no airport is inferred.
   */
  readonly isStrict?: boolean | undefined;
  /** The airports of the world unless given. */
  readonly airports?: Airports | undefined;
  readonly pressureAltitude?: PressureAltitude | undefined;
}

/** How a leg ended: `ok` and `partial` flights go on to the model. */
export type FlightOutcome =
  | 'ok'
  | 'partial'
  | 'fragment'
  | 'empty_after_heal'
  | 'resample_empty'
  | 'resample_failed'
  | 'invariant_error'
  | Exclude<Violation, 'schema' | 'order' | 'duplicate_times' | 'attribute_conflict'>;

/** A leg with everything that is known of how it became a flight, or did not. */
export interface BuiltFlight {
  readonly flightId: string;
  readonly icaoAddress: string;
  /** Why the leg begins where it does; null for the first of the airframe. */
  readonly cut: CutReason | null;
  /** Airborne reports of the leg, how many of them are used, and which share of these came by satellite. */
  readonly reportCount: number;
  readonly usedCount: number;
  readonly satelliteShare: number;
  /** Reports of a leg with too many of them that are not the first of their 30 s. */
  readonly thinnedCount: number;
  /** Times of the first and the last report [ms since 1970]. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The leg after healing, undefined for a fragment. */
  readonly healed: Omit<HealedLeg, 'rows' | 'track'> | undefined;
  /** Times without a report of more than 15 minutes between reports that are used. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Longest time without a report [s]. */
  readonly maxGapS: number;
  /** Whole minutes; undefined where the leg did not get that far. */
  readonly flight: ResampledLeg | undefined;
  readonly imputedMinutes: number;
  /** All findings, also those that do not decide the outcome. */
  readonly codes: readonly (Violation | FlightOutcome)[];
  readonly outcome: FlightOutcome;
  /** Bits of `FLIGHT_QUALITY`. */
  readonly quality: number;
  /** Undefined for legs that are not flights. */
  readonly grade: QualityGrade | undefined;
}

export interface BuiltAirframe {
  /** One for each leg and fragment, in order of time; their reports and those on the ground are all reports. */
  readonly flights: readonly BuiltFlight[];
  readonly onGroundCount: number;
}

const LONG_GAP_MS = 900_000;
/** Of a leg. Hours have one report in 30 s; a leg with more is thinned to that, and has been flying for a week if it still has more. */
const MAX_REPORTS = 20_000;
const THIN_MS = 30_000;
/** Attributes of which the reports of a flight have one value; its id is given, not reported. */
const REPORTED = TEXT_ATTRIBUTES.filter((name) => name !== 'flight_id');

/** Cuts, heals, resamples and validates the reports of one airframe. Flights do not depend on where days begin. */
export function buildFlights(reports: AirframeReports, settings: BuildSettings = {}): BuiltAirframe {
  const legs = cutIntoLegs(reports);
  const ids = legIds(reports, legs, settings);
  const flights = legs.map((leg, l) => buildLeg(reports, leg, ids[l] as LegId, settings));
  const airborne = flights.reduce((sum, { reportCount }) => sum + reportCount, 0);
  return { flights, onGroundCount: reports.timestamp.length - airborne };
}

function buildLeg(
  reports: AirframeReports,
  { rows, cut, isFragment }: Leg,
  { flightId, isJoined }: LegId,
  settings: BuildSettings,
): BuiltFlight {
  const [first, last] = [rows[0] as number, rows[rows.length - 1] as number];
  const names = reports.names ?? reports;
  const thinned = rows.length > MAX_REPORTS ? firstOfBins(reports.timestamp, rows) : rows;
  const leg = {
    flightId,
    icaoAddress: names.icao_address[nameRow(reports, first)] as string,
    cut,
    reportCount: rows.length,
    firstMs: reports.timestamp[first] as number,
    lastMs: reports.timestamp[last] as number,
    thinnedCount: rows.length - thinned.length,
  };
  const failed = (outcome: FlightOutcome, healed?: HealedLeg): BuiltFlight => ({
    ...leg,
    ...usedReports(reports, healed?.rows ?? new Uint32Array()),
    healed: healed && recordOf(healed),
    flight: undefined,
    imputedMinutes: 0,
    codes: [outcome],
    outcome,
    quality: legQuality(reports, rows, isJoined, healed),
    grade: undefined,
  });
  if (isFragment) return failed('fragment');
  if (thinned.length > MAX_REPORTS) return failed('too_long');
  const healed = healLeg(reports, thinned, healSettings(settings), flightId);
  if (healed.rows.length < 2) return failed('empty_after_heal', healed);
  const type = healed.attributes.aircraft_type_icao;
  const ceilingFt = type === null || settings.isStrict ? undefined : ceilingOfType(type);
  const flight = resampleLeg(healed.track, ceilingFt);
  if (typeof flight === 'string') return failed(flight, healed);
  const codes = validateFlight({
    columns: flight.columns,
    departure: healed.departure.airport,
    arrival: healed.arrival.airport,
    reports: {
      rows: namesAmong(reports, healed.rows),
      attributes: REPORTED.map((name) => names[name]),
    },
  });
  const outcome = outcomeOf(codes, settings.isStrict === true);
  const hasBothAirports = healed.departure.airport !== undefined && healed.arrival.airport !== undefined;
  return {
    ...leg,
    ...usedReports(reports, healed.rows),
    healed: recordOf(healed),
    flight,
    imputedMinutes: flight.imputed.reduce((sum, flag) => sum + flag, 0),
    codes,
    outcome,
    quality: legQuality(reports, rows, isJoined, healed) | flightQuality(flight, codes),
    grade: qualityGrade(flight, hasBothAirports, outcome === 'partial'),
  };
}

/** Of rows in order of time, the first of each 30 s of the clock. */
function firstOfBins(timestamp: Float64Array, rows: Uint32Array): Uint32Array {
  const binOf = (row: number) => Math.floor((timestamp[row] as number) / THIN_MS);
  return rows.filter((row, k) => k === 0 || binOf(row) !== binOf(rows[k - 1] as number));
}

function healSettings({ airports, isStrict = false, pressureAltitude }: BuildSettings): HealSettings {
  return {
    airports: airports ?? worldAirports(),
    ceilingFt: ceilingOfType,
    altitude: isStrict ? 'strict_ref' : 'by_type',
    infersAirports: !isStrict,
    pressureAltitude,
  };
}

let typesWithCeiling: ReadonlySet<string> | undefined;

/** Highest altitude [ft] of a type; undefined for one without performance parameters. */
export function ceilingOfType(aircraftType: string): number | undefined {
  typesWithCeiling ??= new Set(knownAircraftTypes());
  const type = designator(aircraftType);
  return typesWithCeiling.has(type) ? 100 * findAircraftType(type).maxFlightLevel : undefined;
}

function outcomeOf(codes: readonly Violation[], isStrict: boolean): FlightOutcome {
  const isRejecting = (code: Violation) =>
    VIOLATIONS[code] === 'reject' || (isStrict && VIOLATIONS[code] === 'partial');
  const reason = codes.find(isRejecting);
  if (reason === undefined) return codes.some((code) => VIOLATIONS[code] === 'partial') ? 'partial' : 'ok';
  switch (reason) {
    case 'schema':
    case 'order':
    case 'duplicate_times':
    case 'attribute_conflict':
      return 'invariant_error';
    default:
      return reason;
  }
}

/** Without the reports, which would stay in memory as long as the flight. */
function recordOf({ attributes, departure, arrival, counts, added }: HealedLeg) {
  return { attributes, departure, arrival, counts, added };
}

function usedReports(reports: AirframeReports, rows: Uint32Array) {
  const { timestamp } = reports;
  const { collection_type } = reports.names ?? reports;
  const gaps: { fromMs: number; toMs: number }[] = [];
  let [maxGapMs, satellite] = [0, 0];
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    if (collection_type[nameRow(reports, row)] === 'satellite') satellite++;
    if (k === 0) continue;
    const fromMs = timestamp[rows[k - 1] as number] as number;
    const toMs = timestamp[row] as number;
    maxGapMs = Math.max(maxGapMs, toMs - fromMs);
    if (toMs - fromMs > LONG_GAP_MS) gaps.push({ fromMs, toMs });
  }
  return {
    usedCount: rows.length,
    satelliteShare: rows.length === 0 ? 0 : satellite / rows.length,
    gaps,
    maxGapS: maxGapMs / 1000,
  };
}
