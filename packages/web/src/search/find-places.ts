/** What the search finds: countries, cities, airports, and aircraft of the newest hour of telemetry. */
import { useEffect, useState } from 'preact/hooks';
import { dataUrl } from '../data-url.ts';
import { type Airport, airportText, loadAirports, searchAirports } from '../flight/airports.ts';
import { mapLink } from '../map/map-memory.ts';
import { hourText } from '../map/map-state.ts';
import { loadTracks, type Track } from '../map/telemetry-tracks.ts';
import { useSession } from '../shell/session.ts';
import type { Position } from '../track.ts';

export interface Found {
  readonly kind: 'country' | 'city' | 'airport' | 'flight';
  readonly name: string;
  readonly detail: string;
  /** The map with it in the middle. */
  link(): URLSearchParams;
}

interface Place extends Position {
  readonly name: string;
  readonly zoom: number;
  readonly kind: 'country' | 'city';
}

export interface Searchable {
  readonly places: readonly Place[];
  readonly airports: readonly Airport[];
  readonly tracks: readonly Track[];
  /** Hour of the tracks [ms since 1970]. */
  readonly hourMs: number;
}

const NOTHING: Searchable = { places: [], airports: [], tracks: [], hourMs: 0 };

/** Loads what can be found when the search is opened for the first time. */
export function useSearchable(isOpen: boolean): Searchable {
  const { status } = useSession();
  const [searchable, setSearchable] = useState(NOTHING);
  const last = status?.telemetry?.last;

  useEffect(() => {
    if (!isOpen) return;
    const add = (part: Partial<Searchable>) => setSearchable((before) => ({ ...before, ...part }));
    loadPlaces().then(
      (places) => add({ places }),
      () => undefined,
    );
    loadAirports().then(
      (airports) => add({ airports }),
      () => undefined,
    );
    if (last === undefined) return;
    const hourMs = Date.parse(last);
    loadTracks(hourText(hourMs)).then(
      (tracks) => add({ tracks, hourMs }),
      () => undefined,
    );
  }, [isOpen, last]);

  return searchable;
}

const MAX_OF_A_KIND = 5;

/** Names that begin with the text come first; airports also by code, flights by callsign. */
export function searchAll({ places, airports, tracks, hourMs }: Searchable, text: string): Found[] {
  const wanted = plain(text);
  if (wanted === '') return [];
  const matches = <T extends { readonly name: string }>(list: readonly T[]) => [
    ...list.filter(({ name }) => plain(name).startsWith(wanted)),
    ...list.filter(({ name }) => plain(name).indexOf(wanted) > 0),
  ];
  return [
    ...matches(places)
      .slice(0, MAX_OF_A_KIND)
      .map(({ name, kind, zoom, longitude, latitude }) => ({
        kind,
        name,
        detail: kind,
        link: () => mapLink({}, { longitude, latitude, zoom }),
      })),
    ...searchAirports(airports, text, MAX_OF_A_KIND).map((airport) => ({
      kind: 'airport' as const,
      name: airport.iata || airport.icao,
      detail: airportText(airport),
      link: () => mapLink({}, { ...positionOf(airport), zoom: 6.5 }),
    })),
    ...matches(tracks)
      .slice(0, MAX_OF_A_KIND)
      .map((track) => ({
        kind: 'flight' as const,
        name: track.name,
        detail: `${track.aircraftType ?? 'aircraft'}, ${hourText(hourMs).replace('T', ' ')}:00 UTC`,
        link: () => {
          const at = track.points[Math.floor(track.points.length / 2)] ?? { longitude: 0, latitude: 0 };
          const aircraft = { traffic: true, timeMs: hourMs, aircraft: track.id };
          return mapLink(aircraft, { ...positionOf(at), zoom: 5 });
        },
      })),
  ];
}

function positionOf({ longitude, latitude }: Position): Position {
  return { longitude, latitude };
}

/** Without case and accents: `Zurich` finds Zürich. */
function plain(text: string): string {
  return text.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

let loading: Promise<readonly Place[]> | undefined;

function loadPlaces(): Promise<readonly Place[]> {
  loading ??= Promise.all([readPlaces('places.json'), readPlaces('basemap-coarse.json')])
    .then((lists) => lists.flat())
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

async function readPlaces(file: string): Promise<Place[]> {
  const response = await fetch(dataUrl(file));
  const { features } = (await response.json()) as GeoJSON.FeatureCollection;
  return features.flatMap(({ properties, geometry }) => {
    if (geometry.type !== 'Point' || properties?.kind === 'airport') return [];
    const [longitude = 0, latitude = 0] = geometry.coordinates;
    const kind = properties?.kind === 'city' ? 'city' : 'country';
    const zoom =
      kind === 'city' ? 5 : Math.min(Math.max(7.2 - 0.5 * Math.log2(properties?.area ?? 100), 2.2), 6);
    return [{ kind, name: String(properties?.name), longitude, latitude, zoom }];
  });
}
