/**
 * Flights as columns: one value for each waypoint, waypoints in order of time. Reading, resampling and evaluating flights all
 * use these types; a function declares with `FlightWith` which columns it needs.
 */

/** NaN is an unknown value; an absent column is unknown throughout, or computed where there is a formula for it. */
export interface FlightColumns<Buffer extends ArrayBufferLike = ArrayBufferLike> {
  /** [ms since 1970] */
  readonly timeMs: Float64Array<Buffer>;
  /** Degrees east, −180 to 180. */
  readonly longitude: Float64Array<Buffer>;
  /** Degrees north. */
  readonly latitude: Float64Array<Buffer>;

  /** Pressure altitude, in feet, in metres and as the pressure [hPa] that the standard atmosphere has there. */
  readonly altitudeFt?: Float64Array<Buffer> | undefined;
  readonly altitudeM?: Float64Array<Buffer> | undefined;
  readonly levelHpa?: Float64Array<Buffer> | undefined;

  readonly airPressurePa?: Float64Array<Buffer> | undefined;
  readonly airTemperatureK?: Float64Array<Buffer> | undefined;
  readonly specificHumidity?: Float64Array<Buffer> | undefined;
  readonly eastwardWindMS?: Float64Array<Buffer> | undefined;
  readonly northwardWindMS?: Float64Array<Buffer> | undefined;

  readonly trueAirspeedMS?: Float64Array<Buffer> | undefined;
  readonly aircraftMassKg?: Float64Array<Buffer> | undefined;
  readonly thrustN?: Float64Array<Buffer> | undefined;
  readonly engineEfficiency?: Float64Array<Buffer> | undefined;
  readonly fuelFlowKgS?: Float64Array<Buffer> | undefined;
  readonly thrustSetting?: Float64Array<Buffer> | undefined;
  readonly noxEi?: Float64Array<Buffer> | undefined;
  readonly nvpmEiM?: Float64Array<Buffer> | undefined;
  readonly nvpmEiN?: Float64Array<Buffer> | undefined;
}

export type FlightColumnName = keyof FlightColumns;

/** A flight of which these columns are known to be there. */
export type FlightWith<
  Name extends FlightColumnName,
  Buffer extends ArrayBufferLike = ArrayBufferLike,
> = FlightColumns<Buffer> & { readonly [N in Name]: Float64Array<Buffer> };

/** Flights in sequence: flight f has the waypoints offsets[f] to offsets[f + 1] − 1. */
export interface Fleet<
  Attributes,
  Columns extends FlightColumns = FlightColumns,
  Buffer extends ArrayBufferLike = ArrayBufferLike,
> {
  readonly columns: Columns;
  readonly offsets: Uint32Array<Buffer>;
  /** What holds for each flight as a whole. */
  readonly attributes: readonly Attributes[];
}

type SameColumns<Columns, Buffer extends ArrayBufferLike> = {
  readonly [N in keyof Columns]: Float64Array<Buffer> | (undefined extends Columns[N] ? undefined : never);
};

/** The columns that a flight has, each replaced. */
export function mapColumns<Columns extends Partial<FlightColumns>, Buffer extends ArrayBufferLike>(
  columns: Columns,
  replace: (column: Float64Array, name: FlightColumnName) => Float64Array<Buffer>,
): SameColumns<Columns, Buffer> {
  return Object.fromEntries(
    (Object.entries(columns) as [FlightColumnName, Float64Array | undefined][]).flatMap(([name, column]) =>
      column === undefined ? [] : [[name, replace(column, name)]],
    ),
  ) as SameColumns<Columns, Buffer>;
}

/** The columns of one flight, as views of those of the fleet. */
export function flightOf<Columns extends FlightColumns>(
  { columns, offsets }: Pick<Fleet<unknown, Columns>, 'columns' | 'offsets'>,
  flight: number,
): Columns {
  const [start, end] = [offsets[flight], offsets[flight + 1]];
  return mapColumns(columns, (column) => column.subarray(start, end)) as Columns;
}

/** The columns that a flight has. */
export function givenColumns(flight: FlightColumns): Float64Array[] {
  return Object.values(flight).filter((column): column is Float64Array => column !== undefined);
}
