/** ARINC 633 operational flight plans. */
import type { FlightFormat } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { FlightFileError } from '../refusals.ts';
import { documentText } from '../text.ts';
import { detailOf, KG_PER_POUND, lowerMedian, METRES_PER_FOOT, numberOf, stemOf, timeOf } from '../values.ts';
import { parseXml, rootOf } from '../xml.ts';

/** Feet. */
const ALTITUDE_UNITS: Readonly<Record<string, number>> = {
  ft: 1,
  'ft/100': 100,
  'ft/1000': 1000,
  m: 1 / METRES_PER_FOOT,
  'm/10': 10 / METRES_PER_FOOT,
  'm/100': 100 / METRES_PER_FOOT,
};
/** Kilograms. */
const MASS_UNITS: Readonly<Record<string, number>> = {
  kg: 1,
  t: 1000,
  lb: KG_PER_POUND,
  hlb: 100 * KG_PER_POUND,
};
const MAX_WAYPOINTS = 100_000;
const ARC_SECONDS = 3600;

/** Values of an element by their path below it, such as `Altitude/EstimatedAltitude/Value`. */
type Values = Map<string, { readonly text: string; readonly unit: string | undefined }>;

interface PlannedWaypoint {
  readonly attributes: ReadonlyMap<string, string>;
  coordinates: ReadonlyMap<string, string> | undefined;
  readonly values: Values;
}

export const arinc633Ofp: FlightFormat = {
  name: 'arinc633_ofp',
  contentTypes: ['application/vnd.arinc633+xml', 'application/xml', 'text/xml'],
  recognise: ({ text }) => rootOf(text) === 'FlightPlan',

  async *read([content], { report }) {
    if (content === undefined) return;
    const plan = readPlan(await documentText(content, report));
    const { name: file } = content;
    const settings = { format: 'arinc633_ofp', kind: 'planned', file, unit: 'waypoint' } as const;
    const draft = new FlightDraft(settings, report);
    const flightNumber = flightNumberOf(plan);
    draft.know({
      flight_id:
        plan.first('FlightKeyIdentifier') ??
        flightNumber ??
        detailOf(plan.root.get('flightPlanId')) ??
        stemOf(file),
      flight_number: flightNumber,
      callsign: plan.first('FlightIdentifier'),
      tail_number: detailOf(plan.aircraft?.get('aircraftRegistration')),
      aircraft_type: codeOf(plan.first('AircraftICAOType')),
      departure_airport_icao: codeOf(plan.first('DepartureAirport/AirportICAOCode')),
      arrival_airport_icao: codeOf(plan.first('ArrivalAirport/AirportICAOCode')),
    });
    const departure = timeOf(plan.flight?.get('scheduledTimeOfDeparture'));
    if (!Number.isNaN(departure)) draft.know({ departure_scheduled_time: departure });
    const points = inSequence(plan.waypoints);
    if (points.length > 0 && looksLikeDegrees(points)) {
      report.points += points.length;
      report.refuseFlight(
        'coordinates_not_arc_seconds',
        file,
        'all coordinates lie within 180, so they look like degrees; ARINC 633 has arc seconds',
        points.length,
      );
      return;
    }
    const times = timesOf(points, departure);
    const fuel = points.map(({ values }) => massOf(values, 'FuelOnBoard/EstimatedWeight/Value'));
    const masses = massesOf(points, fuel, plan.header);
    const takeoff = massOf(plan.header, 'TakeoffWeight/EstimatedWeight/Value');
    const takeoffMass = Number.isNaN(takeoff)
      ? (masses.find((mass) => !Number.isNaN(mass)) ?? takeoff)
      : takeoff;
    if (!Number.isNaN(takeoffMass)) draft.know({ takeoff_mass: takeoffMass });
    const hasMasses = masses.length > 0 && !masses.some(Number.isNaN);
    const hasFuel = fuel.some((value) => !Number.isNaN(value));
    points.forEach(({ attributes, coordinates, values }, k) => {
      const altitude = altitudeOf(values, k === 0);
      draft.add({
        timeMs: times[k] as number,
        longitude: numberOf(coordinates?.get('longitude')) / ARC_SECONDS,
        latitude: numberOf(coordinates?.get('latitude')) / ARC_SECONDS,
        altitudeFt: altitude ?? Number.NaN,
        refusal: altitude === undefined ? 'parse_error' : undefined,
        at: k + 1,
        waypoint: detailOf(attributes.get('waypointId')) ?? detailOf(attributes.get('waypointName')),
        measured: {
          ...(hasMasses ? { aircraft_mass: masses[k] as number } : {}),
          ...(hasFuel ? { fuel_on_board: fuel[k] as number } : {}),
        },
      });
    });
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};

interface Plan {
  readonly root: ReadonlyMap<string, string>;
  readonly flight: ReadonlyMap<string, string> | undefined;
  readonly aircraft: ReadonlyMap<string, string> | undefined;
  readonly flightNumber: ReadonlyMap<string, string> | undefined;
  /** Of `WeightHeader`. */
  readonly header: Values;
  readonly waypoints: readonly PlannedWaypoint[];
  /** The first text of an element with this name, or of one within a parent as `Parent/Name`. */
  first(name: string): string | null;
}

const TEXTS = ['FlightKeyIdentifier', 'FlightIdentifier', 'CommercialFlightNumber', 'AircraftICAOType'];

function readPlan(text: string): Plan {
  const waypoints: PlannedWaypoint[] = [];
  const header: Values = new Map();
  const texts = new Map<string, string>();
  const attributesOf: Record<string, ReadonlyMap<string, string>> = {};
  let waypoint: PlannedWaypoint | undefined;
  let valueUnit: string | undefined;
  parseXml(text, {
    open(name, attributes, path) {
      if (name === 'Value') valueUnit = attributes.get('unit')?.trim();
      if (name === 'Waypoint' && path.length === 3 && path[1] === 'Waypoints') {
        if (waypoints.length >= MAX_WAYPOINTS)
          throw new FlightFileError('too_large', `the plan has more than ${MAX_WAYPOINTS} waypoints`);
        waypoint = { attributes, coordinates: undefined, values: new Map() };
        waypoints.push(waypoint);
      } else if (name === 'Coordinates' && path.length === 4 && waypoint !== undefined) {
        waypoint.coordinates = attributes;
      } else if (path.length === 1) attributesOf.root = attributes;
      else if (name === 'Flight' || name === 'Aircraft' || name === 'FlightNumber') {
        attributesOf[name] ??= attributes;
      }
    },
    close(name, content, path) {
      if (name === 'Value') {
        const header_ = path.indexOf('WeightHeader');
        if (waypoint !== undefined) setOnce(waypoint.values, path.slice(3), content, valueUnit);
        else if (header_ !== -1) setOnce(header, path.slice(header_ + 1), content, valueUnit);
      } else if (name === 'Waypoint' && path.length === 3) waypoint = undefined;
      else if (TEXTS.includes(name)) setText(texts, name, content);
      else if (name === 'AirportICAOCode') setText(texts, path.slice(-2).join('/'), content);
    },
  });
  return {
    root: attributesOf.root ?? new Map(),
    flight: attributesOf.Flight,
    aircraft: attributesOf.Aircraft,
    flightNumber: attributesOf.FlightNumber,
    header,
    waypoints,
    first: (name) => texts.get(name) ?? null,
  };
}

function setOnce(values: Values, path: readonly string[], text: string, unit: string | undefined): void {
  const key = path.join('/');
  if (!values.has(key)) values.set(key, { text: text.trim(), unit });
}

function setText(texts: Map<string, string>, name: string, content: string): void {
  const text = detailOf(content);
  if (text !== null && !texts.has(name)) texts.set(name, text);
}

function flightNumberOf({ first, flightNumber }: Plan): string | null {
  const commercial = first('CommercialFlightNumber');
  if (commercial !== null) return commercial;
  const number = detailOf(flightNumber?.get('number'));
  return number === null ? null : `${detailOf(flightNumber?.get('airlineIATACode')) ?? ''}${number}`;
}

/** By `sequenceId` where every waypoint has one, else as the document has them. */
function inSequence(waypoints: readonly PlannedWaypoint[]): readonly PlannedWaypoint[] {
  const keyed = waypoints.map((waypoint) => ({
    waypoint,
    sequence: numberOf(waypoint.attributes.get('sequenceId')),
  }));
  if (keyed.some(({ sequence }) => Number.isNaN(sequence))) return waypoints;
  return keyed.sort((a, b) => a.sequence - b.sequence).map(({ waypoint }) => waypoint);
}

/** Coordinates of a writer that took degrees for arc seconds: within 90 and 180, of at least two waypoints that are not 0. */
function looksLikeDegrees(points: readonly PlannedWaypoint[]): boolean {
  const known = points
    .map(({ coordinates }) => [
      numberOf(coordinates?.get('latitude')),
      numberOf(coordinates?.get('longitude')),
    ])
    .filter(([lat, lon]) => !Number.isNaN(lat) && !Number.isNaN(lon)) as [number, number][];
  const isWithin = known.every(([lat, lon]) => Math.abs(lat) <= 90 && Math.abs(lon) <= 180);
  return isWithin && known.filter(([lat, lon]) => lat !== 0 || lon !== 0).length >= 2;
}

/**
 * Cumulated times count from take-off, scheduled departure is off-block, and times over waypoints are often whole minutes: the
 * median of their differences is the take-off that makes all of them right.
 */
function timesOf(points: readonly PlannedWaypoint[], departureMs: number): number[] {
  const cumulated = points.map(({ values }) =>
    durationMs(values.get('CumulatedFlightTime/EstimatedTime/Value')?.text),
  );
  const over = points.map(({ values }) => timeOf(values.get('TimeOverWaypoint/EstimatedTime/Value')?.text));
  const offsets = over.map((time, k) => time - (cumulated[k] as number)).filter((ms) => !Number.isNaN(ms));
  const anchor = offsets.length > 0 ? lowerMedian(offsets) : departureMs;
  const times: number[] = [];
  points.forEach(({ values }, k) => {
    const candidates = [
      anchor + (cumulated[k] as number),
      over[k] as number,
      (times[k - 1] ?? Number.NaN) +
        durationMs(values.get('TimeFromPreviousWaypoint/EstimatedTime/Value')?.text),
      k === 0 ? anchor : Number.NaN,
    ];
    times.push(candidates.find((time) => !Number.isNaN(time)) ?? Number.NaN);
  });
  return times;
}

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

function durationMs(text: string | undefined): number {
  const match = DURATION.exec(text ?? '');
  if (match === null || text === 'P' || text?.endsWith('T')) return Number.NaN;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  return Math.round(
    (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000,
  );
}

/** NaN where there is none, undefined where its unit is not known. */
function altitudeOf(values: Values, isFirst: boolean): number | undefined {
  const given = values.get('Altitude/EstimatedAltitude/Value');
  const value = numberOf(given?.text);
  if (given === undefined || Number.isNaN(value)) return isFirst && given === undefined ? 0 : Number.NaN;
  const unit = given.unit ?? '';
  return Object.hasOwn(ALTITUDE_UNITS, unit) ? value * (ALTITUDE_UNITS[unit] as number) : undefined;
}

function massOf(values: Values, path: string): number {
  const given = values.get(path);
  const unit = given?.unit ?? '';
  return Object.hasOwn(MASS_UNITS, unit) ? numberOf(given?.text) * (MASS_UNITS[unit] as number) : Number.NaN;
}

function massesOf(points: readonly PlannedWaypoint[], fuel: readonly number[], header: Values): number[] {
  const zeroFuel = massOf(header, 'ZeroFuelWeight/EstimatedWeight/Value');
  return points.map(({ values }, k) => {
    const mass = massOf(values, 'AircraftWeight/EstimatedWeight/Value');
    return Number.isNaN(mass) ? zeroFuel + (fuel[k] as number) : mass;
  });
}
