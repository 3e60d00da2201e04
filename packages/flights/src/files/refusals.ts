/** Why a point, a flight or a file is not read. Each has one reason: the first that applies. */

/** In the order in which points are checked. */
export type PointRefusal =
  | 'parse_error'
  | 'missing_time'
  | 'missing_position'
  | 'position_out_of_range'
  | 'null_island'
  | 'missing_altitude'
  | 'altitude_out_of_range'
  | 'on_ground'
  | 'duplicate_time'
  | 'thinned';

export type FlightRefusal = 'too_few_points' | 'no_points' | 'unknown_flight' | 'coordinates_not_arc_seconds';

export type FileRefusal =
  | 'parse_error'
  | 'missing_time'
  | 'unknown_point'
  | 'missing_partner'
  | 'missing_columns'
  | 'unit_unknown'
  | 'ambiguous_date'
  | 'xml_dtd'
  | 'too_large'
  | 'not_supported'
  | 'empty'
  | 'unknown_format'
  | 'no_flights';

export type RefusedCode = PointRefusal | FlightRefusal | FileRefusal;

/** A file that cannot be read, or read further. The message is one sentence with the remedy. */
export class FlightFileError extends Error {
  readonly code: FileRefusal;

  constructor(code: FileRefusal, message: string) {
    super(message);
    this.name = 'FlightFileError';
    this.code = code;
  }
}

/** Warnings that are not refusals; files that fail while others are read appear with their error code. */
export type WarningCode =
  | 'encoding'
  | 'altitude_geometric'
  | 'no_aircraft_type'
  | 'unfinished_line'
  | FileRefusal;

export interface FileWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** One refused point or flight. */
export interface RefusedRecord {
  readonly code: RefusedCode;
  readonly file: string;
  readonly message: string;
}

const MAX_LISTED = 1000;

export interface ReadLimits {
  /** Flights of a file that are in memory at a time. */
  readonly maxFlights?: number | undefined;
  /** Rows of a Parquet table. */
  readonly maxRows?: number | undefined;
}

/** What was read and what was left out, filled while flights are read. */
export class FileReport {
  /** The format of each file, in their order. */
  readonly formats: string[] = [];
  readonly refused: Partial<Record<RefusedCode, number>> = {};
  /** The first thousand refused records. */
  readonly refusals: RefusedRecord[] = [];
  /** Points of all files, including refused ones. */
  points = 0;
  /** Points that are lost with their flight. */
  lostPoints = 0;
  flights = 0;
  /** Points of flights that are not finished. */
  pendingPoints = 0;
  private firstFlight: RefusedRecord | undefined;
  private readonly noted: FileWarning[] = [];
  private readonly fileErrors: { code: FileRefusal; message: string; file: string }[] = [];
  private readonly maxFlights: number;
  private readonly maxRows: number;

  /** Limits of what is in memory at a time. */
  constructor({ maxFlights, maxRows }: ReadLimits = {}) {
    this.maxFlights = maxFlights ?? Number.POSITIVE_INFINITY;
    this.maxRows = maxRows ?? Number.POSITIVE_INFINITY;
  }

  /** Rows of a compressed table may take less than a bit each. */
  limitRows(count: number): void {
    if (!(count <= this.maxRows))
      throw new FlightFileError(
        'too_large',
        `the table has ${count} rows, more than ${this.maxRows}; split it into smaller files`,
      );
  }

  /** A flight takes many times the bytes of its row: files of nothing but single points would fill the memory. */
  limitFlights(count: number): void {
    if (count > this.maxFlights)
      throw new FlightFileError(
        'too_large',
        `the file has more than ${this.maxFlights} flights; split it into smaller files`,
      );
  }

  refusePoint(code: PointRefusal, file: string, at: string): void {
    this.count(code, { code, file, message: at });
  }

  refuseFlight(code: FlightRefusal, file: string, message: string, points = 0): void {
    this.lostPoints += points;
    const record = { code, file, message };
    this.firstFlight ??= record;
    this.count(code, record);
  }

  /** Flights of the file that are not finished are lost with it. */
  refuseFile(error: FlightFileError, file: string): void {
    this.lostPoints += this.pendingPoints;
    this.pendingPoints = 0;
    this.warnOfDamage(error, file);
  }

  /** What was read of the file stays. */
  warnOfDamage(error: FlightFileError, file: string): void {
    this.fileErrors.push({ code: error.code, message: error.message, file });
  }

  /** Each warning once. */
  warn(code: WarningCode, message: string): void {
    if (this.noted.length >= MAX_LISTED) return;
    if (this.noted.some((one) => one.code === code && one.message === message)) return;
    this.noted.push({ code, message });
  }

  /** Includes files that failed, except the one whose failure is `error`. */
  get warnings(): readonly FileWarning[] {
    const isError = (k: number) => this.flights === 0 && this.firstFlight === undefined && k === 0;
    const failed = this.fileErrors.filter((_, k) => !isError(k));
    return [
      ...this.noted,
      ...failed.map(({ code, message, file }) => ({ code, message: `${file}: ${message}` })),
    ];
  }

  /** Why no flight is left; null while there is one. */
  get error(): { readonly code: RefusedCode; readonly message: string } | null {
    if (this.flights > 0) return null;
    const { firstFlight } = this;
    const [firstFile] = this.fileErrors;
    if (firstFlight !== undefined) return { code: firstFlight.code, message: firstFlight.message };
    if (firstFile !== undefined) return { code: firstFile.code, message: firstFile.message };
    return { code: 'no_flights', message: 'the files have no flights' };
  }

  private count(code: RefusedCode, record: RefusedRecord): void {
    this.refused[code] = (this.refused[code] ?? 0) + 1;
    if (this.refusals.length < MAX_LISTED) this.refusals.push(record);
  }
}
