/** KML and KMZ: tracks with times, or placemarks with a time each. */
import { type FlightFormat, Gathered } from '../contract.ts';
import { FlightFileError } from '../refusals.ts';
import { documentText } from '../text.ts';
import { detailOf, METRES_PER_FOOT, numberOf, timeOf } from '../values.ts';
import { parseXml, rootOf } from '../xml.ts';
import { GEOMETRIC, unnamed } from './tracks.ts';

const NAME = 'kml';
const MAX_POINTS = 1_000_000;

interface Point {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeFt: number;
}

export const kml: FlightFormat = {
  name: NAME,
  contentTypes: ['application/vnd.google-earth.kml+xml', 'application/vnd.google-earth.kmz'],
  recognise: ({ text }) => rootOf(text) === 'kml',

  async *read([content], { report }) {
    if (content === undefined) return;
    const { tracks, placemarks } = readPoints(await documentText(content, report));
    const settings = { format: NAME, kind: 'flown', file: content.name, unit: 'waypoint' } as const;
    const flights = new Gathered<number>(settings, report);
    if (tracks.length === 0 && placemarks.length === 0) {
      throw new FlightFileError(
        'missing_time',
        'the KML file has neither gx:Track nor placemarks with a TimeStamp; a path without times cannot be computed',
      );
    }
    report.warn('altitude_geometric', GEOMETRIC);
    const all = tracks.length > 0 ? tracks : [{ name: null, points: placemarks }];
    const nameOf = unnamed(content.name, all.filter(({ name }) => name === null).length);
    all.forEach(({ name, points }, k) => {
      const draft = flights.of(k, () => ({ flight_id: name ?? nameOf() }));
      points.forEach((point, index) => {
        draft.add({ ...point, at: index + 1 });
      });
    });
    yield* flights.finish();
  },
};

interface NamedTrack {
  name: string | null;
  readonly points: Point[];
}

function readPoints(text: string): { tracks: NamedTrack[]; placemarks: Point[] } {
  const tracks: NamedTrack[] = [];
  const placemarks: Point[] = [];
  let inPlacemark: NamedTrack[] = [];
  let multi: NamedTrack | undefined;
  let title: string | null = null;
  let whens: string[] = [];
  let coords: string[] = [];
  let stamp: string | undefined;
  let position: string | undefined;
  let count = 0;
  parseXml(text, {
    open(name) {
      if (name === 'Placemark') {
        [title, stamp, position, inPlacemark] = [null, undefined, undefined, []];
      } else if (name === 'MultiTrack') {
        multi = { name: null, points: [] };
        inPlacemark.push(multi);
      } else if (name === 'Track') [whens, coords] = [[], []];
    },
    close(name, content, path) {
      const parent = path.at(-2);
      if (name === 'name' && parent === 'Placemark') title = detailOf(content);
      else if (name === 'when' && parent === 'Track') whens.push(content.trim());
      else if (name === 'coord' && parent === 'Track') coords.push(content.trim());
      else if (name === 'when' && parent === 'TimeStamp') stamp = content.trim();
      else if (name === 'coordinates' && parent === 'Point') position = content.trim();
      else if (name === 'MultiTrack') multi = undefined;
      else if (name === 'Track') {
        const points = pointsOf(whens, coords);
        if (multi === undefined) inPlacemark.push({ name: null, points });
        else for (const point of points) multi.points.push(point);
        count += points.length;
      } else if (name === 'Placemark') {
        for (const track of inPlacemark) tracks.push({ name: title, points: track.points });
        if (stamp !== undefined && position !== undefined) {
          placemarks.push(pointOf(stamp, position.split(',')));
          count++;
        }
      }
      if (count > MAX_POINTS)
        throw new FlightFileError('too_large', `the KML file has more than ${MAX_POINTS} points; split it`);
    },
  });
  return { tracks, placemarks };
}

/** A track with unequal numbers of times and positions does not pair them. */
function pointsOf(whens: readonly string[], coords: readonly string[]): Point[] {
  if (whens.length !== coords.length) {
    throw new FlightFileError(
      'parse_error',
      `a gx:Track has ${whens.length} times and ${coords.length} positions; it needs one time for each position`,
    );
  }
  return coords.map((coord, k) => pointOf(whens[k] as string, coord.split(/\s+/)));
}

function pointOf(when: string, [longitude, latitude, metres]: readonly string[]): Point {
  return {
    timeMs: timeOf(when),
    longitude: numberOf(longitude),
    latitude: numberOf(latitude),
    altitudeFt: numberOf(metres) / METRES_PER_FOOT,
  };
}
