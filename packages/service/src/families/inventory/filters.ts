/** Which flights of a table a request asks for: parameters, and the conditions that they become. */
import { sqlText } from '@contrails/formats';
import { boolean } from '@contrails/runtime/options/boolean';
import { list } from '@contrails/runtime/options/list';
import { optional } from '@contrails/runtime/options/parameter';
import { text } from '@contrails/runtime/options/text';

const MAX_VALUES = 100;

const words = (description: string, example: string) =>
  optional(
    list(
      text({
        maxLength: 40,
        pattern: /^[A-Za-z0-9_-]+$/,
        accepted: `letters, digits, dashes and underscores such as ${example}`,
        examples: [example],
      }),
      { description, maxItems: MAX_VALUES },
    ),
  );

/** Filters by the columns that they read; of two columns one has to match. */
const FILTERS = {
  airline_iata: { columns: ['airline_iata'], parameter: words('Only flights of these airlines.', 'LX') },
  aircraft_type_icao: {
    columns: ['aircraft_type_icao'],
    parameter: words('Only these aircraft types.', 'A20N'),
  },
  engine_uid: { columns: ['engine_uid'], parameter: words('Only these engines.', '01P20CM128') },
  airport: {
    columns: ['departure_airport_icao', 'arrival_airport_icao'],
    parameter: words('Only flights from or to these airports.', 'LSZH'),
  },
  country: {
    columns: ['departure_country_iso', 'arrival_country_iso'],
    parameter: words('Only flights from or to these countries.', 'CH'),
  },
  continent: {
    columns: ['departure_continent_iso', 'arrival_continent_iso'],
    parameter: words('Only flights from or to these continents.', 'EU'),
  },
  icao_address: {
    columns: ['icao_address'],
    parameter: words('Only these transponder addresses.', '4B1800'),
  },
  flight_id: {
    columns: ['flight_id'],
    parameter: words('Only these flights.', '6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11'),
  },
  outcome: { columns: ['outcome'], parameter: words('Only legs with these outcomes.', 'too_short') },
} as const;
type FilterName = keyof typeof FILTERS;

const SUMMARY_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'engine_uid',
  'airport',
  'country',
  'continent',
  'icao_address',
  'flight_id',
] as const;
export const SEGMENT_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'engine_uid',
  'icao_address',
  'flight_id',
] as const;
export const LEG_FILTERS = [
  'airline_iata',
  'aircraft_type_icao',
  'airport',
  'icao_address',
  'flight_id',
  'outcome',
] as const;

export function parametersOf<Names extends readonly FilterName[]>(names: Names) {
  return Object.fromEntries(names.map((name) => [name, FILTERS[name].parameter])) as {
    [Name in Names[number]]: (typeof FILTERS)[Name]['parameter'];
  };
}

export function conditionsOf(
  names: readonly FilterName[],
  given: Readonly<Partial<Record<FilterName, readonly string[] | undefined>>>,
): string[] {
  return names.flatMap((name) => {
    const values = given[name];
    if (values === undefined) return [];
    const cased = values.map((value) =>
      name === 'flight_id' || name === 'outcome' ? value : value.toUpperCase(),
    );
    const list = cased.map(sqlText).join(', ');
    return [`(${FILTERS[name].columns.map((column) => `${column} IN (${list})`).join(' OR ')})`];
  });
}

/** What a person types; the app filters its table by the same rule. */
const SEARCHED = [
  'callsign',
  'airline_iata',
  'aircraft_type_icao',
  'departure_airport_icao',
  'arrival_airport_icao',
] as const;

const SEARCH = {
  maxLength: 100,
  pattern: /^[A-Za-z0-9 _-]+$/,
  accepted: 'words of letters and digits such as "SWR A320"',
  description:
    'Only flights for which every word is a prefix of the callsign, the airline, the type or an airport.',
  examples: ['SWR LSZH'],
} as const;

/** Filters of the table of flights. */
export const SUMMARY_PARAMETERS = {
  ...parametersOf(SUMMARY_FILTERS),
  is_eu_mrv: optional(boolean('Only flights in, or not in, the scope of EU monitoring.')),
  search: optional(text(SEARCH)),
} as const;

export type SummaryFilters = Readonly<
  Partial<Record<(typeof SUMMARY_FILTERS)[number], readonly string[] | undefined>>
> & { readonly is_eu_mrv?: boolean | undefined; readonly search?: string | undefined };

export function summaryConditions({ is_eu_mrv, search = '', ...given }: SummaryFilters): string[] {
  const words = search.toUpperCase().split(' ').filter(Boolean);
  return [
    ...conditionsOf(SUMMARY_FILTERS, given),
    ...(is_eu_mrv === undefined ? [] : [`is_eu_mrv = ${is_eu_mrv}`]),
    ...words.map(
      (word) =>
        `(${SEARCHED.map((column) => `starts_with(upper(${column}), ${sqlText(word)})`).join(' OR ')})`,
    ),
  ];
}
