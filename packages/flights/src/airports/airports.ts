/** Airports by code and by place. */
import { feetToMetres } from '@contrails/physics/common';
import { haversineM } from '@contrails/physics/geodesy';

export type AirportSize = 'large' | 'medium' | 'small';

export interface Airport {
  /** Four characters. */
  readonly icao: string;
  /** Three letters. */
  readonly iata?: string | undefined;
  readonly latitude: number;
  readonly longitude: number;
  readonly elevationFt: number;
  readonly size: AirportSize;
  /** ISO 3166 code of the country, and of the continent. */
  readonly country?: string | undefined;
  readonly continent?: string | undefined;
  readonly name?: string | undefined;
  readonly municipality?: string | undefined;
  readonly isScheduled?: boolean | undefined;
  /** Its time zone, such as `Europe/Zurich`. */
  readonly zone?: string | undefined;
}

export interface Airports {
  find(icao: string | null | undefined): Airport | undefined;
  /**
   * The airport that an aircraft at this place [degrees, ft] most likely uses: the nearest large one within two degrees
   * of latitude and of longitude, else the nearest medium one, else the nearest small one.
   */
  nearest(longitude: number, latitude: number, altitudeFt: number): Airport | undefined;
  readonly all: readonly Airport[];
}

const REACH_DEG = 2;

export function indexAirports(all: readonly Airport[]): Airports {
  const byCode = new Map(all.map((airport) => [airport.icao, airport]));
  const cells = new Map<number, Airport[]>();
  for (const airport of all) {
    const cell = cellOf(airport.longitude, airport.latitude);
    const there = cells.get(cell);
    if (there === undefined) cells.set(cell, [airport]);
    else there.push(airport);
  }
  return {
    all,
    find: (icao) => (icao == null ? undefined : byCode.get(icao)),
    nearest(longitude, latitude, altitudeFt) {
      const best: Partial<Record<AirportSize, { readonly airport: Airport; readonly distanceM: number }>> =
        {};
      for (let south = -REACH_DEG; south <= REACH_DEG; south++) {
        for (let west = -REACH_DEG; west <= REACH_DEG; west++) {
          for (const airport of cells.get(
            cellOf(Math.floor(longitude) + west, Math.floor(latitude) + south),
          ) ?? []) {
            if (!isWithinReach(airport, longitude, latitude)) continue;
            const distanceM = airportDistanceM(airport, 0, longitude, latitude, altitudeFt);
            // Of two at the same distance, the table decides, not the order of the cells.
            const other = best[airport.size];
            const isNearer =
              other === undefined ||
              distanceM < other.distanceM ||
              (distanceM === other.distanceM && airport.icao < other.airport.icao);
            if (isNearer) best[airport.size] = { airport, distanceM };
          }
        }
      }
      return (best.large ?? best.medium ?? best.small)?.airport;
    },
  };
}

/** Distance [m] through the air to the point at a height [ft] above an airport. */
export function airportDistanceM(
  airport: Pick<Airport, 'longitude' | 'latitude' | 'elevationFt'>,
  heightFt: number,
  longitude: number,
  latitude: number,
  altitudeFt: number,
): number {
  const groundM = haversineM(longitude, latitude, airport.longitude, airport.latitude);
  return Math.hypot(groundM, feetToMetres(altitudeFt - airport.elevationFt - heightFt));
}

/** Number of a cell of one degree; longitudes beyond the antimeridian are those of the other side. */
function cellOf(longitude: number, latitude: number): number {
  const column = (((Math.floor(longitude) + 180) % 360) + 360) % 360;
  return (Math.floor(latitude) + 90) * 360 + column;
}

function isWithinReach(airport: Airport, longitude: number, latitude: number): boolean {
  const away = Math.abs(airport.longitude - longitude);
  return Math.abs(airport.latitude - latitude) <= REACH_DEG && Math.min(away, 360 - away) <= REACH_DEG;
}
