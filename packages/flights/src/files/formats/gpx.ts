/** GPX tracks. */
import { type FlightFormat, Gathered } from '../contract.ts';
import { FlightFileError } from '../refusals.ts';
import { documentText } from '../text.ts';
import { detailOf, METRES_PER_FOOT, numberOf, timeOf } from '../values.ts';
import { parseXml, rootOf } from '../xml.ts';
import { GEOMETRIC, unnamed } from './tracks.ts';

const NAME = 'gpx';
const MAX_POINTS = 1_000_000;

export const gpx: FlightFormat = {
  name: NAME,
  contentTypes: ['application/gpx+xml'],
  recognise: ({ text }) => rootOf(text) === 'gpx',

  async *read([content], { report }) {
    if (content === undefined) return;
    const flights = new Gathered<number>(
      { format: NAME, kind: 'flown', file: content.name, unit: 'waypoint' },
      report,
    );
    const names = new Map<number, string>();
    let tracks = 0;
    let others = 0;
    const points: (typeof point & { readonly track: number })[] = [];
    let point = { latitude: Number.NaN, longitude: Number.NaN, metres: Number.NaN, timeMs: Number.NaN };
    parseXml(await documentText(content, report), {
      open(name, attributes, path) {
        if (name === 'trk') tracks++;
        else if (name === 'rtept' || name === 'wpt') others++;
        else if (name === 'trkpt' && path.at(-2) === 'trkseg') {
          point = {
            latitude: numberOf(attributes.get('lat')),
            longitude: numberOf(attributes.get('lon')),
            metres: Number.NaN,
            timeMs: Number.NaN,
          };
        }
      },
      close(name, text, path) {
        const parent = path.at(-2);
        if (name === 'name' && parent === 'trk') {
          const title = detailOf(text);
          if (title !== null) names.set(tracks, title);
        } else if (name === 'ele' && parent === 'trkpt') point.metres = numberOf(text);
        else if (name === 'time' && parent === 'trkpt') point.timeMs = timeOf(text.trim());
        else if (name === 'trkpt' && parent === 'trkseg') {
          if (points.length >= MAX_POINTS)
            throw new FlightFileError(
              'too_large',
              `the GPX file has more than ${MAX_POINTS} points; split it`,
            );
          points.push({ ...point, track: tracks });
        }
      },
    });
    if (points.length === 0) {
      const what = others > 0 ? 'routes and waypoints, which have no times' : 'no track points (trkpt)';
      throw new FlightFileError(others > 0 ? 'missing_time' : 'no_flights', `the GPX file has ${what}`);
    }
    report.warn('altitude_geometric', GEOMETRIC);
    points.forEach(({ track, metres, ...point }, k) => {
      flights.of(track).add({ ...point, altitudeFt: metres / METRES_PER_FOOT, at: k + 1 });
    });
    const nameOf = unnamed(content.name, tracks - names.size);
    for (let k = 1; k <= tracks; k++) {
      const id = names.get(k) ?? nameOf();
      flights.of(k).know({ flight_id: id });
    }
    yield* flights.finish();
  },
};
