/** What the inventory knows of a flight: before the models, and what they found. Plain data, which a file or a thread can take. */

/** An airport of the table. */
export interface FlightAirport {
  readonly longitude: number;
  readonly latitude: number;
  readonly elevationFt: number;
  /** ISO 3166 code of the country, and of the continent. */
  readonly country: string | null;
  readonly continent: string | null;
}

/** A flight at whole minutes. */
export interface InventoryFlight {
  readonly flightId: string;
  readonly icaoAddress: string;
  readonly callsign: string | null;
  readonly tailNumber: string | null;
  readonly flightNumber: string | null;
  readonly airlineIata: string | null;
  /** As reported. */
  readonly aircraftType: string | null;
  readonly departureIcao: string | null;
  readonly arrivalIcao: string | null;
  /** Null where the airport is unknown or not in the table. */
  readonly departure: FlightAirport | null;
  readonly arrival: FlightAirport | null;
  /** [ms since 1970] */
  readonly departureScheduledMs: number | null;
  readonly arrivalScheduledMs: number | null;
  /** Whether one of its ends was not seen. */
  readonly isPartial: boolean;
  /** Airports near which it was not seen. */
  readonly unseen: readonly ('departure' | 'arrival')[];
  readonly grade: string;
  /** Bits that the reports decide. */
  readonly quality: number;
  readonly reportCount: number;
  readonly usedCount: number;
  readonly satelliteShare: number;
  readonly maxGapS: number;
  /** First and last report [ms since 1970]; minutes outside were added at airports. */
  readonly firstReportMs: number;
  readonly lastReportMs: number;
  /** Of flights that were imported from files: the name of their source, and the address of the airframe if the file has it. */
  readonly imported?: { readonly source: string; readonly icaoAddress: string | null };
  readonly columns: FlightMinutes;
}

export interface FlightMinutes {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** With the precision of the tables, so these have what the models used. */
  readonly altitudeFt: Float64Array;
  readonly gapS: Float64Array;
  readonly imputed: Uint8Array;
}

/** The columns of the models that the tables are made of, by their public names. */
export const MODEL_COLUMNS = [
  'true_airspeed',
  'fuel_flow',
  'thrust',
  'aircraft_mass',
  'engine_efficiency',
  'nox_ei',
  'co_ei',
  'hc_ei',
  'nvpm_ei_m',
  'nvpm_ei_n',
  'air_temperature',
  'rhi',
  'sac',
  'initially_persistent',
  'energy_forcing',
  'contrail_age',
] as const;

export type ModelColumns = Readonly<Record<(typeof MODEL_COLUMNS)[number], Float64Array>>;

/** The minutes of flights, one flight after the other, and what the models found at them. */
export interface ModelledMinutes {
  readonly columns: FlightMinutes;
  readonly model: ModelColumns;
}

/** What the models used for a flight. */
export interface ModelFacts {
  readonly aircraftType: string;
  readonly performanceType: string;
  readonly engineUid: string;
  readonly engineSource: 'airframe' | 'type_default';
  readonly nvpmDataSource: string;
  readonly isTypeFromTable: boolean;
  readonly passengerLoadFactor: number | null;
  readonly cargoLoadFactor: number | null;
  /** Mass at the first minute of a flight whose ends were bridged [kg]; null for the others. */
  readonly bridgedMassKg: number | null;
  /** `Cargo` for freighters, where the operator's table has it. */
  readonly role: string | null;
  /** Lowest level of the weather [hPa]; below it the air is that of the standard atmosphere. */
  readonly lowestLevelHpa: number;
  readonly metSourceDataset: string;
  readonly metDays: string;
  /** Null where the weather lacks what climate change functions need. */
  readonly climate: ClimateFacts | null;
}

/** NOx and water vapour of a flight by the climate change functions, with efficacy. */
export interface ClimateFacts {
  /** Share of the fuel for which they are known. */
  readonly coverage: number;
  readonly nox: SpeciesFacts;
  readonly h2o: SpeciesFacts;
}

interface SpeciesFacts {
  /** Mean temperature response of 20 years [K]. */
  readonly atr20K: number;
  /** [kg] */
  readonly co2e: { readonly gwp20: number; readonly gwp50: number; readonly gwp100: number };
}
