/** GeoJSON: lines with times beside their positions, or points with a time each. */
import { type FlightFormat, type FormatContext, Gathered } from '../contract.ts';
import type { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { readJson } from '../json.ts';
import { FlightFileError } from '../refusals.ts';
import { detailOf, listOf, METRES_PER_FOOT, numberOf, objectOf, timeOf } from '../values.ts';
import { GEOMETRIC, unnamed } from './tracks.ts';

const NAME = 'geojson';
type Feature = {
  readonly geometry: ReturnType<typeof objectOf>;
  readonly properties: ReturnType<typeof objectOf>;
};

export const geojson: FlightFormat = {
  name: NAME,
  contentTypes: ['application/geo+json'],
  recognise: ({ text }) => text.startsWith('{') && /"type"\s*:\s*"(Feature|FeatureCollection)"/.test(text),

  async *read([content], { report }) {
    if (content === undefined) return;
    const document = objectOf(await readJson(content, report));
    const features: Feature[] = (document.type === 'Feature' ? [document] : listOf(document.features)).map(
      (one) => ({
        geometry: objectOf(objectOf(one).geometry),
        properties: objectOf(objectOf(one).properties),
      }),
    );
    const settings = { format: NAME, kind: 'flown', file: content.name, unit: 'waypoint' } as const;
    const flights = new Gathered<number>(settings, report);
    const lines = features.filter(({ geometry }) => isLine(geometry.type));
    const timed = lines.filter(({ properties }) => timesOf(properties) !== undefined);
    const nameOf = unnamed(content.name, timed.filter(({ properties }) => idOf(properties) === null).length);
    if (lines.length > 0) {
      if (timed.length === 0) throw noTimes();
      timed.forEach((feature, k) => {
        addLine(
          feature,
          flights.of(k, () => identityOf(feature, nameOf)),
        );
      });
      for (const line of lines) if (!timed.includes(line)) refuseUntimed(line, content.name, report);
    } else addPoints(features, flights, nameOf);
    if (flights.size === 0)
      throw new FlightFileError('no_flights', 'the GeoJSON has neither lines nor points with times');
    report.warn('altitude_geometric', GEOMETRIC);
    yield* flights.finish();
  },
};

function isLine(type: unknown): boolean {
  return type === 'LineString' || type === 'MultiLineString';
}

function noTimes(): FlightFileError {
  return new FlightFileError(
    'missing_time',
    'no line has times; add a list “times” with one for each position to its properties',
  );
}

/** Every position of a line without times is a point without a time. */
function refuseUntimed(line: Feature, file: string, report: FormatContext['report']): void {
  const positions = positionsOf(line);
  report.points += positions.length;
  for (const _ of positions) report.refusePoint('missing_time', file, 'a line without times');
}

function positionsOf({ geometry }: Feature): readonly unknown[] {
  const coordinates = listOf(geometry.coordinates);
  return geometry.type === 'LineString' ? coordinates : coordinates.flatMap(listOf);
}

function timesOf(properties: Feature['properties']): readonly unknown[] | undefined {
  const beside = objectOf(properties.coordinateProperties);
  return [properties.times, properties.coordTimes, properties.time, beside.times].find((one) =>
    Array.isArray(one),
  ) as readonly unknown[] | undefined;
}

function idOf(properties: Feature['properties']): string | null {
  return detailOf(properties.flight_id) ?? detailOf(properties.name);
}

function identityOf({ properties }: Feature, nameOf: () => string) {
  return {
    flight_id: idOf(properties) ?? nameOf(),
    aircraft_type: codeOf(detailOf(properties.aircraft_type)),
  };
}

/** Times are nested as the parts of the line are, or flat. */
function addLine(line: Feature, draft: FlightDraft): void {
  const positions = positionsOf(line);
  const times = (timesOf(line.properties) ?? []).flat();
  if (times.length !== positions.length) {
    throw new FlightFileError(
      'parse_error',
      `a line has ${positions.length} positions and ${times.length} times; give one for each position`,
    );
  }
  positions.forEach((position, k) => {
    draft.add({ ...placeOf(position, times[k]), at: k + 1 });
  });
}

function addPoints(features: readonly Feature[], flights: Gathered<number>, nameOf: () => string): void {
  const points = features.filter(({ geometry }) => geometry.type === 'Point');
  const [first] = points;
  if (first === undefined) return;
  const draft = flights.of(0, () => identityOf(first, nameOf));
  points.forEach(({ geometry, properties }, k) => {
    draft.add({ ...placeOf(geometry.coordinates, properties.time ?? properties.timestamp), at: k + 1 });
  });
}

function placeOf(position: unknown, time: unknown) {
  const [longitude, latitude, metres] = listOf(position);
  return {
    timeMs: timeOf(time),
    longitude: numberOf(longitude),
    latitude: numberOf(latitude),
    altitudeFt: numberOf(metres) / METRES_PER_FOOT,
  };
}
