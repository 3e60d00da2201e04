/**
 * The rules of the readers (`ingest`) as SQL, for tables that DuckDB reads by itself: the same values, and the same reason for
 * each record that is refused. Property tests compare the two.
 */
import { type DuckDb, sqlText } from '@contrails/formats';
import type { TABLE_FIELDS } from '../ingest/formats/table.ts';
import type { RefusalCode } from '../ingest/refusals.ts';
import {
  ADDRESS_PATTERN,
  BARO_FT,
  GNSS_FT,
  MAX_CLOCK_ERROR_MS,
  MIN_TIME_MS,
  NO_ADDRESSES,
} from '../ingest/report.ts';
import {
  CODE_NAMES,
  CODE_RULES,
  type CodeName,
  type CodeRule,
  ISO_TIME_PATTERN,
  MAX_NUMBER_OF,
  MAX_TIME_MS,
  UNKNOWN_TEXTS,
} from '../ingest/values.ts';
import { TELEMETRY_COLUMNS, type TelemetryColumnName } from '../telemetry/columns.ts';

export type TableField = (typeof TABLE_FIELDS)[number];

/** A column of a table: its name there, and its type in SQL. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** By name in lower case. */
export type TableColumns = ReadonlyMap<string, TableColumn>;

/** `from` is what stands behind FROM. */
export async function describeTable(duckdb: DuckDb, from: string): Promise<TableColumns> {
  const described = await duckdb.rows(`DESCRIBE SELECT * FROM ${from}`);
  return new Map(
    described.map(({ column_name, column_type }) => [
      String(column_name).toLowerCase(),
      { name: String(column_name), type: String(column_type) },
    ]),
  );
}

/**
 * What stands behind FROM to have the columns of `from` and the parts of their values that the rules of these fields are about.
 * Each is computed once, by an inner SELECT: DuckDB would parse, plan and compute it again wherever a rule has it.
 */
export function withPartsSql(
  from: string,
  columns: TableColumns,
  fields: Iterable<string> = columns.keys(),
): string {
  const layers: string[][] = [];
  for (const field of fields) {
    const column = columns.get(field);
    if (column === undefined) continue;
    for (const [depth, [part, value]] of partsOf(field, column).entries()) {
      layers[depth] = [...(layers[depth] ?? []), `${value} AS ${partSql(part, column)}`];
    }
  }
  return layers.reduce((inner, parts) => `(SELECT *, ${parts.join(', ')} FROM ${inner})`, from);
}

/**
 * `cast`: a text as a number, however it is written. `number`: the same by our rules. `ms`: the time that a number is. `blank`:
 * a text without blanks around it, `text` without any whitespace; not where it is a number. `iso`: the texts of a time as in
 * ISO 8601, `figures` what they mean, `time` what these are together.
 */
type Part = 'cast' | 'number' | 'ms' | 'blank' | 'text' | 'iso' | 'figures' | 'time';

function partSql(part: Part, { name }: TableColumn): string {
  return quoted({ name: `${name} ${part}` });
}

/** Of one column, each from those before it. */
function partsOf(field: string, column: TableColumn): (readonly [Part, string])[] {
  const given = `${quoted(column)}::VARCHAR`;
  const [cast, number, blank, text] = (['cast', 'number', 'blank', 'text'] as const).map((part) =>
    partSql(part, column),
  ) as [string, string, string, string];
  // Blanks are removed first, and quickly; other whitespace is rare.
  const isTrimmed = `left(${blank}, 1) BETWEEN '!' AND '~' AND right(${blank}, 1) BETWEEN '!' AND '~'`;
  const trimmed = [
    'text',
    `CASE WHEN ${isTrimmed} THEN ${blank} ELSE trim(${blank}, ${sqlText(WHITESPACE)}) END`,
  ] as const;
  const isTime = TIMES.includes(field);
  if (!isTime && !FLAGS.includes(field) && !NUMBERS.includes(field))
    return [['blank', `trim(${given})`], trimmed];
  if (NUMBER_TYPE.test(column.type)) return isTime ? [['ms', numberMsSql(column)]] : [];
  if (isTime && TIME_TYPE.test(column.type)) return [];
  const ofNumber = [
    ['cast', `TRY_CAST(${given} AS DOUBLE)`],
    // The cast also takes nan, inf and 1_000.
    ['number', `CASE WHEN isfinite(${cast}) AND NOT contains(${given}, '_') THEN ${cast} END`],
    ['blank', `CASE WHEN ${number} IS NULL THEN trim(${given}) END`],
    trimmed,
  ] as const;
  if (!isTime) return [...ofNumber];
  return [
    ...ofNumber,
    ['ms', numberMsSql(column)],
    ['iso', `regexp_extract(${text}, '^${ISO_TIME_PATTERN}$', [${list(ISO_PARTS)}])`],
    ['figures', isoFiguresSql(partSql('iso', column))],
    ['time', isoTimeSql(partSql('figures', column))],
  ];
}

/** How SQL reads a column from what `withPartsSql` has. */
export interface FieldSql {
  /** TIMESTAMP, DOUBLE or an integer, BOOLEAN or VARCHAR; NULL where it is unknown. */
  readonly value: string;
  /** Whether the value could be read; undefined where every value can. */
  readonly isReadable: string | undefined;
}

const TIMES: readonly string[] = ['timestamp', 'departure_scheduled_time', 'arrival_scheduled_time'];
const FLAGS: readonly string[] = ['on_ground', 'leg_flag'];
const NUMBERS: readonly string[] = ['latitude', 'longitude', 'altitude_baro', 'altitude_gnss', 'nic', 'nacp'];

const NUMBER_TYPE = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN)$/;
const INTEGER_TYPE = /^U?(TINY|SMALL|BIG)?INT(EGER)?$/;
const TIME_TYPE = /^(TIMESTAMP|DATE)/;

function isInteger({ type }: TableColumn): boolean {
  return INTEGER_TYPE.test(type);
}

/**
 * A column of the telemetry table, `on_ground` or `leg_flag`, from `withPartsSql`. Texts are trimmed, but any text is taken
 * (`codeSql`).
 */
export function fieldSql(field: TableField, columns: TableColumns): FieldSql {
  const found = columns.get(field);
  if (found === undefined) return { value: missingValue(field), isReadable: undefined };
  if (TIMES.includes(field)) return timeSql(found);
  if (FLAGS.includes(field)) return flagSql(found);
  if (NUMBERS.includes(field)) return numberSql(found);
  const text = textSql(found);
  if (field !== 'collection_type') return { value: text, isReadable: undefined };
  const value = `coalesce(lower(${text}), 'terrestrial')`;
  return { value, isReadable: `${value} IN ('terrestrial', 'satellite')` };
}

/** A time or number as the table has it, for a reader that applies the rules itself; undefined where it may be a text. */
export function plainSql(field: TableField, columns: TableColumns): string | undefined {
  const column = columns.get(field);
  if (column === undefined) return missingValue(field);
  if (TIMES.includes(field))
    return TIME_TYPE.test(column.type) && !/WITH TIME ZONE/.test(column.type)
      ? `${quoted(column)}::TIMESTAMP`
      : undefined;
  if (/^(DOUBLE|BIGINT|INTEGER)$/.test(column.type)) return quoted(column);
  return NUMBER_TYPE.test(column.type) ? `${quoted(column)}::DOUBLE` : undefined;
}

function missingValue(field: TableField): string {
  if (field === 'collection_type') return `'terrestrial'`;
  if (TIMES.includes(field)) return 'NULL::TIMESTAMP';
  if (FLAGS.includes(field)) return 'false';
  return NUMBERS.includes(field) ? 'NULL::DOUBLE' : 'NULL::VARCHAR';
}

/** Whether these fields of a record could be read. */
export function isReadableSql(columns: TableColumns, fields: readonly TableField[]): string {
  const checks = fields.flatMap((field) => fieldSql(field, columns).isReadable ?? []);
  return checks.length === 0 ? 'true' : `(${checks.map((check) => `(${check})`).join(' AND ')})`;
}

/** What `String.trim` removes. */
const WHITESPACE = [
  9, 10, 11, 12, 13, 32, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
  0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
]
  .map((code) => String.fromCharCode(code))
  .join('');
const list = (texts: readonly string[]) => texts.map(sqlText).join(', ');
/** DuckDB turns IN with many texts into a join, which takes longer to plan than a scan. */
const isOneOf = (text: string, texts: readonly string[]) => `list_contains([${list(texts)}], ${text})`;
const [LOWER, UPPER] = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Letters of ASCII in upper case. DuckDB changes others as well, and its function that does not is a hundred times slower. */
const upper = (text: string) =>
  `CASE WHEN strlen(${text}) = length(${text}) THEN upper(${text}) ELSE translate(${text}, '${LOWER}', '${UPPER}') END`;

function quoted({ name }: Pick<TableColumn, 'name'>): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Trimmed; NULL where it is unknown. */
function textSql(column: TableColumn): string {
  const text = partSql('text', column);
  return `CASE WHEN NOT ${isOneOf(`lower(${text})`, UNKNOWN_TEXTS)} THEN ${text} END`;
}

function numberSql(column: TableColumn): FieldSql {
  if (isInteger(column)) return { value: quoted(column), isReadable: undefined };
  if (NUMBER_TYPE.test(column.type))
    return { value: `nullif(${quoted(column)}::DOUBLE, 'nan'::DOUBLE)`, isReadable: undefined };
  const value = partSql('number', column);
  const isUnknown = `${quoted(column)} IS NULL OR ${isOneOf(`lower(${partSql('text', column)})`, UNKNOWN_TEXTS)}`;
  return { value, isReadable: `${value} IS NOT NULL OR ${isUnknown}` };
}

function flagSql(column: TableColumn): FieldSql {
  if (column.type === 'BOOLEAN')
    return { value: `coalesce(${quoted(column)}, false)`, isReadable: undefined };
  const number = numberSql(column);
  const isFlag = `coalesce(${number.value}, 0) IN (0, 1)`;
  const isOne = `coalesce(${number.value} = 1, false)`;
  if (number.isReadable === undefined) return { value: isOne, isReadable: isFlag };
  const word = `coalesce(lower(${partSql('text', column)}), '')`;
  return {
    value: `(${isOne} OR ${word} IN ('true', 't'))`,
    isReadable: `(${number.isReadable}) AND ${isFlag} OR ${word} IN ('true', 't', 'false', 'f')`,
  };
}

/** To whole milliseconds. */
function timeSql(column: TableColumn): FieldSql {
  const name = quoted(column);
  if (TIME_TYPE.test(column.type)) {
    const time = /WITH TIME ZONE/.test(column.type) ? name : `${name}::TIMESTAMP`;
    // An infinite time is unknown.
    const value = `CASE WHEN isfinite(${time}) THEN ${fromMs(`epoch_us(${time}) / 1000.0`)} END`;
    return { value, isReadable: undefined };
  }
  const number = numberSql(column);
  const ms = partSql('ms', column);
  const isTime = `abs(${ms}) <= ${MAX_TIME_MS}`;
  const ofNumber = `CASE WHEN ${isTime} THEN make_timestamp(${ms}::BIGINT * 1000) END`;
  if (number.isReadable === undefined) return { value: ofNumber, isReadable: `coalesce(${isTime}, true)` };
  const time = partSql('time', column);
  return {
    value: `coalesce(${time}, ${ofNumber})`,
    isReadable: `${time} IS NOT NULL OR (${number.isReadable}) AND coalesce(${isTime}, true)`,
  };
}

function numberMsSql(column: TableColumn): string {
  const { value } = numberSql(column);
  const size = `abs(${value}::DOUBLE)`;
  return `floor(CASE WHEN ${size} <= ${MAX_NUMBER_OF.s} THEN ${value} * 1000.0 WHEN ${size} <= ${MAX_NUMBER_OF.ms} THEN ${value}::DOUBLE
    WHEN ${size} <= ${MAX_NUMBER_OF.us} THEN ${value} / 1e3 ELSE ${value} / 1e6 END + 0.5)`;
}

function fromMs(ms: string): string {
  return `make_timestamp(floor(${ms} + 0.5)::BIGINT * 1000)`;
}

const ISO_PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second', 'fraction', 'zone'];

/** What the texts of `ISO_PARTS` mean; the day is NULL where they are not a time. */
function isoFiguresSql(texts: string): string {
  const number = (name: string) => `coalesce(TRY_CAST(${texts}.${name} AS BIGINT), 0)`;
  const day = ['year', 'month', 'day'].map((name) => `${texts}.${name}`).join(` || '-' || `);
  return `struct_pack(day := TRY_CAST(${day} AS DATE), hour := ${number('hour')}, minute := ${number('minute')}, second := ${number('second')},
    fraction_ms := coalesce(TRY_CAST('0.' || ${texts}.fraction AS DOUBLE) * 1000, 0), zone := replace(${texts}.zone, ':', ''))`;
}

/** The time of `isoFiguresSql`, in UTC where it has no zone; NULL where it is none. */
function isoTimeSql(figures: string): string {
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) => `${figures}.${name}`);
  const clock = `((${hour} * 60 + ${minute}) * 60 + ${second}) * 1000`;
  const digits = `${figures}.zone`;
  const zoneMs = `(coalesce(TRY_CAST(${digits}[2:3] AS BIGINT) * 60, 0) + coalesce(TRY_CAST(${digits}[4:5] AS BIGINT), 0)) * 60000`;
  const zone = `CASE ${digits}[1] WHEN '+' THEN ${zoneMs} WHEN '-' THEN -${zoneMs} ELSE 0 END`;
  return `CASE WHEN ${hour} <= 23 AND ${minute} <= 59 AND ${second} <= 60 AND ${day} IS NOT NULL
    THEN make_timestamp((floor(epoch_ms(${day}) + ${clock} + ${figures}.fraction_ms + 0.5)::BIGINT - ${zone}) * 1000) END`;
}

/** A text as the table has it; NULL where it is not allowed. */
function codeSql(name: CodeName, columns: TableColumns): string {
  const column = columns.get(name);
  if (column === undefined) return 'NULL::VARCHAR';
  const { pattern, letters, except = [] }: CodeRule = CODE_RULES[name];
  const text = partSql('text', column);
  // The letters of both cases match before their case is changed: a letter beyond ASCII may become one of it.
  const both = pattern.replace(/A-Z|a-f/g, (range) => `${range.toUpperCase()}${range.toLowerCase()}`);
  const code = letters === 'upper' ? upper(text) : `lower(${text})`;
  const excluded = [...UNKNOWN_TEXTS.map((unknown) => unknown.toUpperCase()), ...except];
  return `CASE WHEN regexp_full_match(${text}, ${sqlText(both)}) AND NOT ${isOneOf(`upper(${text})`, excluded)} THEN ${code} END`;
}

/** The address in upper case, valid or not; NULL where it is missing. */
export function addressSql(columns: TableColumns): string {
  return upper(fieldSql('icao_address', columns).value);
}

/** An altitude [ft] rounded half up. */
function wholeFeetSql(field: 'altitude_baro' | 'altitude_gnss', columns: TableColumns): string {
  const column = columns.get(field);
  const { value } = fieldSql(field, columns);
  return column !== undefined && isInteger(column) ? value : `floor(${value} + 0.5)`;
}

/** A category from 0 to 11; NULL for other numbers. */
export function categorySql(field: 'nic' | 'nacp', columns: TableColumns): string {
  const column = columns.get(field);
  const { value } = fieldSql(field, columns);
  const isWhole = column !== undefined && isInteger(column) ? '' : ` AND ${value} = floor(${value})`;
  return `CASE WHEN ${value} BETWEEN 0 AND 11${isWhole} THEN ${value}::BIGINT END`;
}

/** From −180 to 180; other longitudes are refused, or folded already. */
export function foldedSql(longitude: string): string {
  return `CASE WHEN ${longitude} >= 180 AND ${longitude} <= 360 THEN ${longitude} - 360 ELSE ${longitude} END`;
}

export interface RefusalRules {
  /** The clock to detect future times [ms since 1970]. */
  readonly nowMs: number;
  /** Reports on the ground and without a usable altitude are refused; flights are built from both. */
  readonly refusesGroundAndAltitudes: boolean;
  /**
   * A column with the number of the reason to refuse the address, 0 for none; null where all addresses are known to be right.
   * Without it, `icao_address` is checked.
   */
  readonly addressCode?: string | null;
  /** How codes are written in SQL; texts unless given. */
  readonly literal?: (code: RefusalCode) => string;
}

type Rule = readonly [condition: string, code: RefusalCode];

const ADDRESS_RULES: readonly Rule[] = [
  ['icao_address IS NULL', 'missing_address'],
  [`starts_with(icao_address, '~')`, 'non_icao_address'],
  [
    `NOT regexp_full_match(icao_address, '${ADDRESS_PATTERN}') OR icao_address IN (${list(NO_ADDRESSES)})`,
    'bad_address',
  ],
];

/** The first reason to refuse an address as `addressSql` reads it; NULL for a right one. */
export function addressRefusalSql(literal: (code: RefusalCode) => string = sqlText): string {
  return `CASE ${casesOf(ADDRESS_RULES, literal)} END`;
}

/**
 * The first reason to refuse a record of a view with the columns of the telemetry table as `fieldSql` reads them,
 * `addressSql`, `wholeFeetSql`, `on_ground` and `is_readable`; NULL for a report.
 */
export function refusalSql({
  nowMs,
  refusesGroundAndAltitudes,
  addressCode,
  literal = sqlText,
}: RefusalRules): string {
  const ofAddress =
    addressCode === undefined
      ? casesOf(ADDRESS_RULES, literal)
      : addressCode && `WHEN ${addressCode} <> 0 THEN ${addressCode}`;
  const ofRecord: readonly Rule[] = [
    [`NOT is_readable OR "timestamp" < make_timestamp(${MIN_TIME_MS * 1000})`, 'parse_error'],
  ];
  const ofPosition: readonly Rule[] = [
    ['latitude IS NULL OR longitude IS NULL', 'missing_position'],
    ['"timestamp" IS NULL', 'missing_time'],
    [`"timestamp" > make_timestamp(${(nowMs + MAX_CLOCK_ERROR_MS) * 1000})`, 'time_in_future'],
    ['NOT (abs(latitude) <= 90 AND longitude >= -180 AND longitude <= 360)', 'position_out_of_range'],
    ['latitude = 0 AND longitude IN (0, 360)', 'null_island'],
  ];
  const ofAltitude: readonly Rule[] = [
    ['on_ground', 'on_ground'],
    ['altitude_baro IS NULL AND altitude_gnss IS NULL', 'missing_altitude'],
    [`${outside('altitude_baro', BARO_FT)} OR ${outside('altitude_gnss', GNSS_FT)}`, 'altitude_out_of_range'],
  ];
  const rest = refusesGroundAndAltitudes ? [...ofPosition, ...ofAltitude] : ofPosition;
  return `CASE ${casesOf(ofRecord, literal)} ${ofAddress ?? ''} ${casesOf(rest, literal)} END`;
}

function casesOf(rules: readonly Rule[], literal: (code: RefusalCode) => string): string {
  return rules.map(([condition, code]) => `WHEN ${condition} THEN ${literal(code)}`).join(' ');
}

function outside(column: string, { min, max }: { readonly min: number; readonly max: number }): string {
  return `coalesce(${column} NOT BETWEEN ${min} AND ${max}, false)`;
}

/**
 * Texts, times and categories whose values are all as the table has them, so they need no work. Texts and categories have few
 * distinct values, and only those are checked.
 */
export async function cleanColumns(
  duckdb: DuckDb,
  from: string,
  columns: TableColumns,
): Promise<ReadonlySet<string>> {
  const isDirty: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      CODE_NAMES.map((name) => [name, `${codeSql(name, columns)} IS DISTINCT FROM "${name}"`]),
    ),
    icao_address: `"icao_address" IS NULL OR NOT regexp_full_match("icao_address", '${ADDRESS_PATTERN}') OR "icao_address" IN (${list(NO_ADDRESSES)})`,
    collection_type: `"collection_type" IS NULL OR "collection_type" NOT IN ('terrestrial', 'satellite')`,
    ...Object.fromEntries(['nic', 'nacp'].map((name) => [name, `"${name}" NOT BETWEEN 0 AND 11`])),
    ...Object.fromEntries(
      TIMES.map((name) => [
        name,
        `NOT isfinite("${name}"::TIMESTAMP) OR epoch_us("${name}"::TIMESTAMP) % 1000 <> 0`,
      ]),
    ),
  };
  // As a filter, the condition would be evaluated before DISTINCT. One statement checks all columns at once.
  const checks = Object.entries(isDirty).flatMap(([name, condition]) => {
    const column = columns.get(name);
    if (column === undefined || !hasOwnType(name, column)) return [];
    const values = name === 'timestamp' ? from : `(SELECT DISTINCT "${name}" FROM ${from})`;
    const read = isCode(name) ? withPartsSql(values, columns, [name]) : values;
    return [`SELECT '${name}' AS name, bool_or(${condition}) AS is_dirty FROM ${read}`];
  });
  if (checks.length === 0) return new Set();
  const found = await duckdb.rows(checks.join(' UNION ALL '));
  return new Set(found.flatMap(({ name, is_dirty }) => (is_dirty === true ? [] : [String(name)])));
}

/** Whether a column has the name and a type that it could be stored with as it is. */
function hasOwnType(field: string, column: TableColumn): boolean {
  if (column.name !== field) return false;
  if (TIMES.includes(field)) return /^TIMESTAMP(_S|_MS|_NS)?$/.test(column.type);
  if (field === 'latitude' || field === 'longitude') return column.type === 'DOUBLE';
  return NUMBERS.includes(field) ? isInteger(column) : column.type === 'VARCHAR';
}

/**
 * Whether the table has a record of the view of `refusalSql` as it is in the file; undefined where no record can be. A file
 * with other columns is not stored either.
 */
export function isStoredSql(columns: TableColumns, clean: ReadonlySet<string>): string | undefined {
  const isOwn = ([name, column]: readonly [string, TableColumn]) =>
    FLAGS.includes(name) ||
    ((TELEMETRY_COLUMNS as readonly string[]).includes(name) && hasOwnType(name, column));
  const isChecked = (name: string) => clean.has(name) || UNCHECKED.includes(name) || FLAGS.includes(name);
  if (![...columns].every((one) => isOwn(one) && isChecked(one[0]))) return undefined;
  return 'longitude < 180 AND NOT leg_flag';
}

/** Columns of which no value is written in another way. */
const UNCHECKED: readonly string[] = ['latitude', 'longitude', 'altitude_baro', 'altitude_gnss'];

/** The columns of the table from a file whose records are all stored as they are (`isStoredSql`). */
export function storedColumnsSql(columns: TableColumns): string {
  return TELEMETRY_COLUMNS.map((name) => {
    if (columns.has(name)) return `"${name}"::${storedType(name)} AS "${name}"`;
    return `${name === 'collection_type' ? missingValue(name) : `NULL::${storedType(name)}`} AS "${name}"`;
  }).join(', ');
}

function storedType(name: TelemetryColumnName): string {
  if (TIMES.includes(name)) return 'TIMESTAMP';
  if (name === 'latitude' || name === 'longitude') return 'DOUBLE';
  return NUMBERS.includes(name) ? 'BIGINT' : 'VARCHAR';
}

/** A column of the table from one of a file, in its type. */
export function columnSql(
  name: TelemetryColumnName,
  columns: TableColumns,
  clean: ReadonlySet<string>,
): string {
  if (clean.has(name)) return `"${name}"::${storedType(name)}`;
  switch (name) {
    case 'icao_address':
      return addressSql(columns);
    case 'altitude_baro':
    case 'altitude_gnss':
      return wholeFeetSql(name, columns);
    case 'nic':
    case 'nacp':
      return categorySql(name, columns);
    default:
      return isCode(name) ? codeSql(name, columns) : fieldSql(name, columns).value;
  }
}

function isCode(name: string): name is CodeName {
  return name in CODE_RULES;
}
