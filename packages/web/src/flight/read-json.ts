import type { FlightInput } from '../track.ts';
import { checkedWaypoint, FileError, METRES_PER_FOOT } from './flight.ts';
import { jsonErrorOffset } from './json-error.ts';
import { timeMsOf } from './read-time.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A body of the service, GeoJSON, or a trace of readsb. */
export function readJson(text: string, name: string): FlightInput[] {
  const value = parse(text);
  if (Array.isArray(value)) return value.flatMap((one, k) => readObject(objectOf(one), `${name} ${k + 1}`));
  return readObject(objectOf(value), name);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const offset = jsonErrorOffset(text);
    const found =
      offset >= text.trimEnd().length
        ? 'the text ends too early'
        : `“${text.slice(offset, offset + 12)}” is not expected`;
    throw new FileError(
      `this is not valid JSON: ${found.replaceAll('\n', ' ')}`,
      text.slice(0, offset).split('\n').length,
    );
  }
}

function readObject(value: JsonObject, name: string): FlightInput[] {
  if (Array.isArray(value.trace)) return [readTrace(value, value.trace, name)];
  if (value.type === 'FeatureCollection' || value.type === 'Feature') return readGeojson(value, name);
  if (Array.isArray(value.longitude)) return readBody(value, name);
  throw new FileError(
    'This JSON is neither a flight (longitude, latitude, altitude, time), nor GeoJSON, nor a readsb trace.',
  );
}

function readBody(body: JsonObject, name: string): FlightInput[] {
  const longitude = numbers(body, 'longitude');
  const latitude = numbers(body, 'latitude');
  const time = list(body, 'time');
  const altitudeFt =
    body.altitude === undefined && body.altitude_ft === undefined
      ? numbers(body, 'altitude_m').map((metres) => metres / METRES_PER_FOOT)
      : numbers(body, body.altitude === undefined ? 'altitude_ft' : 'altitude');
  const lengths = [latitude, time, altitudeFt].map(({ length }) => length);
  if (lengths.some((length) => length !== longitude.length)) {
    throw new FileError(
      `longitude has ${longitude.length} values, latitude ${lengths[0]}, time ${lengths[1]} and altitude ${lengths[2]}; give one for each waypoint`,
    );
  }
  const ids = Array.isArray(body.flight_id) ? body.flight_id.map(String) : undefined;
  const types = Array.isArray(body.aircraft_type) ? body.aircraft_type : undefined;
  const indices = longitude.map((_, k) => k);
  const groups = Map.groupBy(indices, (k) => ids?.[k] ?? String(body.flight_id ?? name));
  return [...groups].map(([id, of]) => ({
    name: id,
    aircraftType: textOf(types === undefined ? body.aircraft_type : types[of[0] ?? 0]),
    points: of.map((k) =>
      inWaypoint(k, () =>
        checkedWaypoint({
          timeMs: timeMsOf(time[k]),
          longitude: longitude[k] ?? Number.NaN,
          latitude: latitude[k] ?? Number.NaN,
          altitudeFt: altitudeFt[k] ?? Number.NaN,
        }),
      ),
    ),
  }));
}

/** Lines with times beside them, or points with a time each; altitudes in metres. */
function readGeojson(value: JsonObject, name: string): FlightInput[] {
  const features = value.type === 'Feature' ? [value] : list(value, 'features').map(objectOf);
  const lines = features.filter((feature) => objectOf(feature.geometry ?? {}).type === 'LineString');
  if (lines.length > 0)
    return lines.map((line, k) => readLine(line, lines.length > 1 ? `${name} ${k + 1}` : name));
  const points = features.filter((feature) => objectOf(feature.geometry ?? {}).type === 'Point');
  if (points.length === 0) throw new FileError('The GeoJSON has neither a LineString nor Points.');
  return [
    {
      name,
      aircraftType: textOf(objectOf(points[0]?.properties ?? {}).aircraft_type),
      points: points.map((point, k) => {
        const properties = objectOf(point.properties ?? {});
        return geojsonWaypoint(
          list(objectOf(point.geometry), 'coordinates'),
          properties.time ?? properties.timestamp,
          k,
        );
      }),
    },
  ];
}

function readLine(feature: JsonObject, name: string): FlightInput {
  const properties = objectOf(feature.properties ?? {});
  const beside = objectOf(properties.coordinateProperties ?? {});
  const times = [properties.times, properties.coordTimes, properties.time, beside.times].find(Array.isArray);
  const coordinates = list(objectOf(feature.geometry), 'coordinates');
  if (times === undefined) {
    throw new FileError(
      'The line has no times; add a list “times” with one for each position to its properties.',
    );
  }
  if (times.length !== coordinates.length) {
    throw new FileError(
      `The line has ${coordinates.length} positions and ${times.length} times; give one for each.`,
    );
  }
  return {
    name: textOf(properties.name) ?? name,
    aircraftType: textOf(properties.aircraft_type),
    points: coordinates.map((position, k) => geojsonWaypoint(position, times[k], k)),
  };
}

function geojsonWaypoint(position: unknown, time: unknown, k: number) {
  const [longitude, latitude, metres] = Array.isArray(position) ? position.map(Number) : [];
  return inWaypoint(k, () =>
    checkedWaypoint({
      timeMs: timeMsOf(time),
      longitude: longitude ?? Number.NaN,
      latitude: latitude ?? Number.NaN,
      altitudeFt: (metres ?? Number.NaN) / METRES_PER_FOOT,
    }),
  );
}

/** Seconds after `timestamp`, latitude, longitude, barometric altitude in feet or `ground`. */
function readTrace(value: JsonObject, trace: readonly unknown[], name: string): FlightInput {
  const start = Number(value.timestamp);
  const points = trace.flatMap((row, k) => {
    const [seconds, latitude, longitude, altitude] = Array.isArray(row) ? row : [];
    if (typeof altitude !== 'number') return [];
    const timeMs = Math.round(1000 * (start + Number(seconds)));
    return [
      inWaypoint(k, () =>
        checkedWaypoint({
          timeMs,
          longitude: Number(longitude),
          latitude: Number(latitude),
          altitudeFt: altitude,
        }),
      ),
    ];
  });
  return { name: textOf(value.r) ?? textOf(value.icao) ?? name, aircraftType: textOf(value.t), points };
}

function inWaypoint<T>(k: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FileError ? new FileError(`Waypoint ${k + 1}: ${error.message}`) : error;
  }
}

function objectOf(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new FileError('The JSON holds something else where an object should be.');
}

function list(value: JsonObject, name: string): readonly unknown[] {
  const found = value[name];
  if (Array.isArray(found)) return found;
  throw new FileError(`“${name}” is missing; give a list with one value for each waypoint.`);
}

function numbers(value: JsonObject, name: string): number[] {
  return list(value, name).map((one, k) => {
    if (typeof one === 'number') return one;
    throw new FileError(`Waypoint ${k + 1}: ${name} ${JSON.stringify(one)} is not a number`);
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
