/**
 * How full aircraft are: passenger load factors by region and day (IATA Air Passenger Market Analysis) and
 * cargo load factors by pair of regions and distance (Dray et al. 2024, doi 10.1016/j.jairtraman.2024.102692).
 */
import { loadFactorsCargo as cargo } from '../data/load-factors-cargo.ts';
import { loadFactorsPassenger as passenger } from '../data/load-factors-passenger.ts';
import { loadFactorsRegions } from '../data/load-factors-regions.ts';
import { loadFactorsSeats } from '../data/load-factors-seats.ts';
import { lerp } from '../numerics/lerp.ts';
import { designator } from './designator.ts';

/** Statistical region of an airport. */
export type Region =
  | 'global'
  | 'africa'
  | 'asia_pacific'
  | 'europe'
  | 'latin_america'
  | 'middle_east'
  | 'north_america';

const DAY_MS = 86_400_000;
const REGION_OF_PREFIX = new Map(
  loadFactorsRegions.icaoAirportPrefix.map((prefix, row) => [
    prefix,
    loadFactorsRegions.region[row] as Region,
  ]),
);
const SEATS = new Map(
  loadFactorsSeats.icaoType.map((type, row) => [type, loadFactorsSeats.seatCount[row] as number]),
);
const SERIES: Readonly<Record<Region, Float64Array>> = {
  global: passenger.globalLoadFactor,
  africa: passenger.africaLoadFactor,
  asia_pacific: passenger.asiaPacificLoadFactor,
  europe: passenger.europeLoadFactor,
  latin_america: passenger.latinAmericaLoadFactor,
  middle_east: passenger.middleEastLoadFactor,
  north_america: passenger.northAmericaLoadFactor,
};
const SERIES_DAY = Float64Array.from(passenger.date, (date) => Date.parse(date) / DAY_MS);
const FIRST_DAY = SERIES_DAY[0] as number;
const LAST_DAY = SERIES_DAY[SERIES_DAY.length - 1] as number;

/** Region by the first letter of an ICAO airport code; global when there is none or it is not listed. */
export function regionOfAirport(airportIcao: string | undefined): Region {
  return REGION_OF_PREFIX.get((airportIcao ?? '').trim().slice(0, 1).toUpperCase()) ?? 'global';
}

/** Median number of seats of a type; undefined when the table does not hold it. */
export function seatsOfType(icaoType: string): number | undefined {
  return SEATS.get(designator(icaoType));
}

/**
 * Share of seats taken on a day (any instant of it, UTC) by the region of origin. Days outside the series take
 * the same day of its nearest year; without a time it is the mean of the last twelve months.
 */
export function passengerLoadFactor(originAirportIcao: string | undefined, timeMs?: number): number {
  const series = SERIES[regionOfAirport(originAirportIcao)];
  if (timeMs === undefined) return meanOfLastYear(series);
  return lerp(dayWithinSeries(Math.floor(timeMs / DAY_MS)), SERIES_DAY, series);
}

/**
 * Share of the cargo capacity taken between two airports over a distance [km]: of the hold of passenger
 * aircraft or of dedicated freighters. Without a distance it is all that is carried over all capacity.
 */
export function cargoLoadFactor(
  originAirportIcao: string | undefined,
  destinationAirportIcao: string | undefined,
  distanceKm: number | undefined,
  isPassengerAircraft: boolean,
): number {
  const bands = cargoBands(regionOfAirport(originAirportIcao), regionOfAirport(destinationAirportIcao));
  const factors = isPassengerAircraft ? bands.passengerHold : bands.dedicated;
  return distanceKm === undefined ? factors.overall : lerp(distanceKm, bands.distanceKm, factors.byDistance);
}

function dayWithinSeries(day: number): number {
  if (day >= FIRST_DAY && day <= LAST_DAY) return day;
  const date = new Date(day * DAY_MS);
  const month = date.getUTCMonth();
  const dayOfMonth = month === 1 ? Math.min(date.getUTCDate(), 28) : date.getUTCDate();
  const inYear = (year: number): number => Date.UTC(year, month, dayOfMonth) / DAY_MS;
  if (day > LAST_DAY) {
    const year = new Date(LAST_DAY * DAY_MS).getUTCFullYear();
    return inYear(year) <= LAST_DAY ? inYear(year) : inYear(year - 1);
  }
  const year = new Date(FIRST_DAY * DAY_MS).getUTCFullYear();
  return inYear(year) >= FIRST_DAY ? inYear(year) : inYear(year + 1);
}

function meanOfLastYear(series: Float64Array): number {
  const last = new Date(LAST_DAY * DAY_MS);
  const start = Date.UTC(last.getUTCFullYear() - 1, last.getUTCMonth(), last.getUTCDate() + 1) / DAY_MS;
  let sum = 0;
  for (let day = start; day <= LAST_DAY; day++) sum += lerp(day, SERIES_DAY, series);
  return sum / (LAST_DAY - start + 1);
}

interface CargoFactors {
  readonly byDistance: Float64Array;
  readonly overall: number;
}

interface CargoBands {
  readonly distanceKm: Float64Array;
  readonly passengerHold: CargoFactors;
  readonly dedicated: CargoFactors;
}

const bandsOfPair = new Map<string, CargoBands>();

function cargoBands(origin: Region, destination: Region): CargoBands {
  const wanted =
    origin === 'global' || destination === 'global' ? 'global,global' : `${origin},${destination}`;
  const known = bandsOfPair.get(wanted);
  if (known !== undefined) return known;
  const bands = readBands(wanted) ?? readBands('global,global');
  if (bands === undefined) throw new Error('the cargo table has no global rows');
  bandsOfPair.set(wanted, bands);
  return bands;
}

function readBands(pair: string): CargoBands | undefined {
  const rows: number[] = [];
  for (let row = 0; row < cargo.rowCount; row++) {
    if (`${cargo.originRegion[row]},${cargo.destinationRegion[row]}` === pair) rows.push(row);
  }
  if (rows.length === 0) return undefined;
  const distance = cargo.distanceMidKm;
  rows.sort((a, b) => (distance[a] as number) - (distance[b] as number));
  return {
    distanceKm: pick(distance, rows),
    passengerHold: factorsOf(
      pick(cargo.passengerHoldFreightCarriedT, rows),
      pick(cargo.passengerHoldFreightCapacityT, rows),
    ),
    dedicated: factorsOf(
      pick(cargo.dedicatedFreightCarriedT, rows),
      pick(cargo.dedicatedFreightCapacityT, rows),
    ),
  };
}

function factorsOf(carried: Float64Array, capacity: Float64Array): CargoFactors {
  const share = (a: number, b: number): number => (a === 0 && b === 0 ? 0 : a / b);
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  return {
    byDistance: carried.map((value, i) => share(value, capacity[i] as number)),
    overall: share(sum(carried), sum(capacity)),
  };
}

function pick(column: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from(rows, (row) => column[row] as number);
}
