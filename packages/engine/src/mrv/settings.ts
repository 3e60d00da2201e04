/** What decides which flights a report covers; lists are those of the configuration. */

/** Within the area and to some other countries; from or to the area; everything. */
export type ScopeRule = 'reduced' | 'full' | 'all';

export interface MrvSettings {
  /** Countries whose airports count as within the area, ISO 3166-1 alpha-2. */
  readonly eea: readonly string[];
  /** Further countries whose arrivals count under the reduced scope. */
  readonly arrivals: readonly string[];
  /** ICAO codes that never count. */
  readonly exclude_airports: readonly string[];
  /** Which rule holds on a day of departure, UTC; the last one without an end goes on. */
  readonly scopes: readonly { readonly from: string; readonly to?: string; readonly rule: ScopeRule }[];
  /** ICAO designators of aircraft without jet engines. */
  readonly not_jet_types: readonly string[];
  /** Longest time between a departure and the first report of a leg that is the same flight. */
  readonly match_minutes: number;
  /** What is used where nothing is known; `model` takes the estimates of the models. */
  readonly defaults: 'model' | MrvDefaults;
}

export interface MrvDefaults {
  /** Of seats and of cargo. */
  readonly load_factor?: number | undefined;
  readonly fuel?:
    | {
        readonly hydrogen_content_pct?: number | undefined;
        readonly aromatics_vol_pct?: number | undefined;
        readonly naphthalene_vol_pct?: number | undefined;
        readonly sulphur_ppm?: number | undefined;
      }
    | undefined;
}

/** EU member states, Iceland, Liechtenstein and Norway, and outermost regions with their own codes. */
export const DEFAULT_MRV: MrvSettings = {
  eea: (
    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO ' +
    'GF GP MQ RE YT MF'
  ).split(' '),
  arrivals: ['CH', 'GB'],
  exclude_airports: [],
  scopes: [
    { from: '2025-01-01', to: '2026-12-31', rule: 'reduced' },
    { from: '2027-01-01', rule: 'full' },
  ],
  not_jet_types: (
    'AT43 AT44 AT45 AT46 AT72 AT73 AT75 AT76 DH8A DH8B DH8C DH8D SF34 SB20 JS31 JS32 JS41 E110 E120 F27 ' +
    'F50 D328 B190 BE20 C208 PC12 L410 AN24 AN26 C130'
  ).split(' '),
  match_minutes: 30,
  defaults: 'model',
};
