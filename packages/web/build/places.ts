/** Cities and airports for labels and the search, from the table of airports of `@contrails/flights`. */
import type { FeatureCollection } from 'geojson';
import { type AirportRow, airportRows } from './airports.ts';

/** Cities that are named first, by their main airport; the table has no number of inhabitants. */
const LARGE_CITIES: Readonly<Record<string, string>> = Object.fromEntries(
  `EGLL London,LFPG Paris,EDDB Berlin,LEMD Madrid,LIRF Rome,LTFM Istanbul,UUEE Moscow,ESSA Stockholm,EKCH Copenhagen,
ENGM Oslo,EFHK Helsinki,EPWA Warsaw,LOWW Vienna,LSZH Zürich,EHAM Amsterdam,EIDW Dublin,LPPT Lisbon,LGAV Athens,BIKF Reykjavík,
KJFK New York,KLAX Los Angeles,KORD Chicago,KATL Atlanta,KDFW Dallas,KDEN Denver,KSEA Seattle,KMIA Miami,PANC Anchorage,
PHNL Honolulu,CYYZ Toronto,CYUL Montréal,CYVR Vancouver,MMMX Mexico City,MMSM Mexico City,SKBO Bogotá,SPJC Lima,SBGR São Paulo,
SBGL Rio de Janeiro,SAEZ Buenos Aires,SCEL Santiago,DNMM Lagos,HECA Cairo,HKJK Nairobi,FAOR Johannesburg,FACT Cape Town,
GMMN Casablanca,DTTA Tunis,HAAB Addis Ababa,GOBD Dakar,OERK Riyadh,OMDB Dubai,OIIE Tehran,LLBG Tel Aviv,OPKC Karachi,
VIDP Delhi,VABB Mumbai,VECC Kolkata,VGHS Dhaka,VTBS Bangkok,WMKK Kuala Lumpur,WSSS Singapore,WIII Jakarta,RPLL Manila,
VHHH Hong Kong,ZSPD Shanghai,ZBAA Beijing,RKSI Seoul,RJTT Tokyo,RCTP Taipei,VVTS Ho Chi Minh City,UAAA Almaty,UNNT Novosibirsk,
YSSY Sydney,YMML Melbourne,YPPH Perth,NZAA Auckland`
    .split(/,\s*/)
    .map((entry) => [entry.slice(0, 4), entry.slice(5)]),
);

/** One city for each town with a large airport: rank 1 for those of the list, 2 for others. Airports have their code. */
export function placesOf(csv: string): FeatureCollection {
  const rows = airportRows(csv, ['large']);
  const cities = new Map<string, { readonly row: AirportRow; readonly rank: number }>();
  for (const row of rows) {
    const known = LARGE_CITIES[row[0]];
    const name = known ?? townOf(row[3]);
    if (name === '' || (cities.has(name) && known === undefined)) continue;
    cities.set(name, { row, rank: known === undefined ? 2 : 1 });
  }
  const point = ([, , , , latitude, longitude]: AirportRow) => ({
    type: 'Point' as const,
    coordinates: [longitude, latitude],
  });
  return {
    type: 'FeatureCollection',
    features: [
      ...[...cities].map(([name, { row, rank }]) => ({
        type: 'Feature' as const,
        properties: { kind: 'city', name, rank },
        geometry: point(row),
      })),
      ...rows.map((row) => ({
        type: 'Feature' as const,
        properties: { kind: 'airport', name: row[1] || row[0] },
        geometry: point(row),
      })),
    ],
  };
}

/** `Paris` of `Paris (Orly, Val-de-Marne)` */
function townOf(municipality: string): string {
  return municipality.replace(/[(/,].*$/, '').trim();
}
