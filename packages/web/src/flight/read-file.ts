/** Flights from the files that people have: CSV, GeoJSON, GPX, KML, bodies of this service, and traces of readsb. */
import type { FlightInput } from '../track.ts';
import { checkedFlight, FileError } from './flight.ts';
import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';
import { readGpx, readKml } from './read-xml.ts';

/** At least one flight; throws `FileError`, which names the line where there is one. */
export function readFlights(text: string, fileName = 'flight'): FlightInput[] {
  const name = fileName.replace(/\.\w+$/, '');
  const flights = readAny(text.replace(/^\uFEFF/, ''), name).map(checkedFlight);
  if (flights.length === 0) throw new FileError(`${fileName} has no flight`);
  return flights;
}

function readAny(text: string, name: string): FlightInput[] {
  const start = text.trimStart();
  if (start === '') throw new FileError('The file is empty.');
  if (start.startsWith('{') || start.startsWith('[')) return readJson(text, name);
  if (start.startsWith('<')) {
    if (/<gpx[\s>]/i.test(start)) return readGpx(text, name);
    if (/<kml[\s>]/i.test(start)) return readKml(text, name);
    throw new FileError('This XML is neither GPX nor KML.', 1);
  }
  return readCsv(text, name);
}
