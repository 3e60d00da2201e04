import { readFileSync } from 'node:fs';
import { haversineM } from '@contrails/physics/geodesy';
import { type Airport, type AirportSize, type Airports, indexAirports } from './airports.ts';

let airports: Airports | undefined;

/** The airports of the world that ship with the package; see `data/README.md`. Read when first asked for. */
export function worldAirports(): Airports {
  airports ??= indexAirports(
    readAirports(readFileSync(new URL('../../data/airports.csv', import.meta.url), 'utf8')),
  );
  return airports;
}

/** Between two airports [km]: null where one is not in the table, undefined unless both are given. */
export function greatCircleKm(
  origin: string | null | undefined,
  destination: string | null | undefined,
): number | null | undefined {
  if (origin == null || destination == null) return undefined;
  const [from, to] = [origin, destination].map((icao) => worldAirports().find(icao));
  if (from === undefined || to === undefined) return null;
  return haversineM(from.longitude, from.latitude, to.longitude, to.latitude) / 1000;
}

function readAirports(text: string): Airport[] {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const columns = head.split(',');
  const indexOf = (name: string) => columns.indexOf(name);
  const [icao, latitude, longitude, elevation, size] = [
    indexOf('icao'),
    indexOf('latitude'),
    indexOf('longitude'),
    indexOf('elevation_ft'),
    indexOf('size'),
  ];
  const [iata, zone, country, continent, name, municipality, scheduled] = [
    indexOf('iata'),
    indexOf('zone'),
    indexOf('country'),
    indexOf('continent'),
    indexOf('name'),
    indexOf('municipality'),
    indexOf('scheduled'),
  ];
  const seen = new Map<string, string>();
  /** One string for all airports that have it: every thread that builds flights has the table. */
  const shared = (text: string) => {
    if (!seen.has(text)) seen.set(text, text);
    return seen.get(text);
  };
  return lines.map((line) => {
    const cells = cellsOf(line);
    const cell = (index: number) => cells[index] ?? '';
    return {
      icao: cell(icao),
      iata: cell(iata) || undefined,
      latitude: Number(cell(latitude)),
      longitude: Number(cell(longitude)),
      elevationFt: Number(cell(elevation)),
      size: shared(cell(size)) as AirportSize,
      country: shared(cell(country)) || undefined,
      continent: shared(cell(continent)) || undefined,
      name: cell(name) || undefined,
      municipality: cell(municipality) || undefined,
      isScheduled: cell(scheduled) === '1',
      zone: shared(cell(zone)) || undefined,
    };
  });
}

/** Cells of a line of the table (RFC 4180; no cell has a line break). */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}
