import type { FlightInput, Waypoint } from '../track.ts';
import { checkedWaypoint, FileError, METRES_PER_FOOT } from './flight.ts';
import { timeMsOf } from './read-time.ts';

/** Track points of GPX: position as attributes, `ele` in metres, `time`. */
export function readGpx(text: string, name: string): FlightInput[] {
  requireEnd(text, 'gpx');
  const points = [...text.matchAll(/<trkpt\b([^>]*)>([\s\S]*?)<\/trkpt>/g)].map((match) => {
    const [, attributes = '', body = ''] = match;
    const line = lineAt(text, match.index);
    const attribute = (key: string) => new RegExp(`\\b${key}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
    const element = (key: string) => new RegExp(`<${key}>\\s*([^<]*?)\\s*</${key}>`).exec(body)?.[1];
    const [latitude, longitude, ele, time] = [
      attribute('lat'),
      attribute('lon'),
      element('ele'),
      element('time'),
    ];
    if (time === undefined) throw new FileError('the track point has no <time>', line);
    if (ele === undefined) throw new FileError('the track point has no <ele>, its altitude in metres', line);
    return waypoint({ longitude, latitude, metres: ele, time }, line);
  });
  if (points.length === 0) throw new FileError('The GPX file has no track points (<trkpt>).');
  const title = /<trk>[\s\S]*?<name>\s*([^<]*?)\s*<\/name>/.exec(text)?.[1];
  return [{ name: title || name, aircraftType: undefined, points }];
}

/** `gx:Track` of KML: lists of `when` and `gx:coord`. */
export function readKml(text: string, name: string): FlightInput[] {
  requireEnd(text, 'kml');
  const tracks = [...text.matchAll(/<gx:Track\b[^>]*>([\s\S]*?)<\/gx:Track>/g)];
  if (tracks.length === 0) {
    throw new FileError('The KML file has no gx:Track; a path without times cannot be computed.');
  }
  return tracks.map((track, k) => {
    const [, body = ''] = track;
    const offset = track.index + track[0].indexOf(body);
    const whens = [...body.matchAll(/<when>\s*([^<]*?)\s*<\/when>/g)];
    const coords = [...body.matchAll(/<gx:coord>\s*([^<]*?)\s*<\/gx:coord>/g)];
    if (whens.length !== coords.length) {
      throw new FileError(
        `the track has ${whens.length} times and ${coords.length} positions; it needs one time for each`,
        lineAt(text, track.index),
      );
    }
    const points = coords.map((coord, i) => {
      const [longitude, latitude, metres] = (coord[1] ?? '').split(/\s+/);
      const line = lineAt(text, offset + coord.index);
      return waypoint({ longitude, latitude, metres, time: whens[i]?.[1] }, line);
    });
    return { name: tracks.length > 1 ? `${name} ${k + 1}` : name, aircraftType: undefined, points };
  });
}

function waypoint(
  given: Readonly<Record<'longitude' | 'latitude' | 'metres' | 'time', string | undefined>>,
  line: number,
): Waypoint {
  const number = (key: 'longitude' | 'latitude' | 'metres') => {
    const text = given[key];
    if (text === undefined || text === '' || Number.isNaN(Number(text))) {
      const called = key === 'metres' ? 'altitude' : key;
      throw new FileError(`${called} “${text ?? ''}” is not a number`, line);
    }
    return Number(text);
  };
  return checkedWaypoint(
    {
      timeMs: timeMsOf(given.time),
      longitude: number('longitude'),
      latitude: number('latitude'),
      altitudeFt: number('metres') / METRES_PER_FOOT,
    },
    line,
  );
}

function requireEnd(text: string, root: string): void {
  if (new RegExp(`</${root}>\\s*$`).test(text)) return;
  throw new FileError(`the file ends before </${root}>; it was cut off`, text.trimEnd().split('\n').length);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
