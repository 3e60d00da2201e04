import { dataUrl } from '../data-url.ts';
import { distanceKm, type Position } from '../track.ts';

export interface Airport {
  readonly icao: string;
  readonly iata: string;
  readonly name: string;
  readonly town: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly elevationFt: number;
}

type Row = readonly [string, string, string, string, number, number, number];

let loading: Promise<readonly Airport[]> | undefined;

/** Airports with scheduled flights, fetched once from the files of the app. */
export function loadAirports(): Promise<readonly Airport[]> {
  loading ??= fetch(dataUrl('airports.json'))
    .then((response) => response.json() as Promise<Row[]>)
    .then((rows) =>
      rows.map(([icao, iata, name, town, latitude, longitude, elevationFt]) => ({
        icao,
        iata,
        name,
        town,
        latitude,
        longitude,
        elevationFt,
      })),
    )
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** The one whose code a text is. */
export function airportByCode(airports: readonly Airport[], text: string): Airport | undefined {
  const code = text.trim().toUpperCase();
  return code === '' ? undefined : airports.find(({ icao, iata }) => icao === code || iata === code);
}

/** `Frankfurt, Frankfurt Airport (EDDF)` */
export function airportText({ icao, name, town }: Airport): string {
  return `${town === '' || name.startsWith(town) ? name : `${town}, ${name}`} (${icao})`;
}

const NEAR_KM = 30;

/** The airport that a flight begins or ends at; undefined if none is near. */
export function nearestAirport(airports: readonly Airport[], position: Position): Airport | undefined {
  const near = airports
    .filter(({ latitude }) => Math.abs(latitude - position.latitude) < 0.5)
    .map((airport) => ({ airport, km: distanceKm(airport, position) }))
    .filter(({ km }) => km <= NEAR_KM)
    .sort((a, b) => a.km - b.km);
  return near[0]?.airport;
}

/** Those that a text means: codes first, then towns and names that are it, that begin with it, and that contain it. */
export function searchAirports(airports: readonly Airport[], text: string, count = 8): Airport[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const rank = ({ icao, iata, name, town }: Airport): number => {
    const [codes, words] = [[icao, iata].map(lower), [town, name].map(lower)];
    if (codes.includes(wanted)) return 0;
    if (words.includes(wanted)) return 1;
    if (words.some((word) => word.startsWith(wanted))) return 2;
    if (codes.some((code) => code.startsWith(wanted))) return 3;
    return words.some((word) => word.includes(wanted)) ? 4 : NO_MATCH;
  };
  return airports
    .map((airport) => ({ airport, rank: rank(airport) }))
    .filter((one) => one.rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ airport }) => airport);
}

const NO_MATCH = 5;
const lower = (text: string) => text.toLowerCase();
