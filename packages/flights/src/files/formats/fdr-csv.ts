/** Tables of flight recorders: any columns, with units that the file or the user states. */

import { cellNumber, type Table } from '../cells.ts';
import type { Content, Head } from '../content.ts';
import { type FlightFormat, type FormatOptions, Gathered } from '../contract.ts';
import { codeOf, type Measured } from '../flight.ts';
import { FileReport, FlightFileError } from '../refusals.ts';
import { rowBatches } from '../table-text.ts';
import {
  clockMs,
  dayMs,
  detailOf,
  KG_PER_POUND,
  METRES_PER_FOOT,
  MS_PER_KNOT,
  stemOf,
  timeOf,
} from '../values.ts';

const NAME = 'fdr_csv';
const DAY_MS = 86_400_000;

/** Names of columns in lower case, with `_` for other characters than letters and digits. */
const NAMES = {
  time: ['time', 'utc', 'timestamp', 'datetime', 'date_time', 'gmt', 'utc_time', 'time_utc'],
  date: ['date', 'utc_date', 'date_utc'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'long', 'lng'],
  altitude: [
    'altitude',
    'alt',
    'pressure_altitude',
    'press_alt',
    'alt_std',
    'altitude_std',
    'alt_baro',
    'baro_altitude',
  ],
  true_airspeed: ['true_airspeed', 'tas'],
  aircraft_mass: ['aircraft_mass', 'gross_weight', 'gw', 'weight', 'mass'],
  fuel_flow: ['fuel_flow', 'ff', 'fuel_flow_total'],
  flight_id: ['flight_id', 'flight'],
  callsign: ['callsign'],
  tail_number: ['tail_number', 'registration', 'tail'],
  aircraft_type: ['aircraft_type', 'type'],
  on_ground: ['on_ground', 'wow'],
} as const;
type Field = keyof typeof NAMES;

const ENGINE = /^(?:fuel_flow_?|ff_?)([1-8])$|^(?:eng|engine)_?([1-8])_(?:ff|fuel_flow)$/;
const ON = ['1', '1.0', 'true', 'ground', 'on'];

/** What a unit of a field is in feet, m/s, kg or kg/s. */
const UNITS: Readonly<
  Record<'altitude' | 'true_airspeed' | 'aircraft_mass' | 'fuel_flow', Readonly<Record<string, number>>>
> = {
  altitude: { ft: 1, feet: 1, m: 1 / METRES_PER_FOOT, fl: 100 },
  true_airspeed: { kt: MS_PER_KNOT, kts: MS_PER_KNOT, knots: MS_PER_KNOT, 'm/s': 1, 'km/h': 1 / 3.6 },
  aircraft_mass: { kg: 1, t: 1000, lb: KG_PER_POUND, lbs: KG_PER_POUND },
  fuel_flow: {
    'kg/s': 1,
    'kg/h': 1 / 3600,
    'kg/min': 1 / 60,
    'lb/h': KG_PER_POUND / 3600,
    pph: KG_PER_POUND / 3600,
  },
};
type Quantity = keyof typeof UNITS;
const OTHER_UNITS = ['deg', 'utc', 's', '-', 'hh:mm:ss', 'dd-mm-yyyy', 'yyyy-mm-dd'];
const ALL_UNITS = new Set([...Object.values(UNITS).flatMap(Object.keys), ...OTHER_UNITS]);
const EXAMPLES: Readonly<Record<Quantity, string>> = {
  altitude: 'ft',
  true_airspeed: 'kt',
  aircraft_mass: 'kg',
  fuel_flow: 'kg/h',
};

export const fdrCsv: FlightFormat = {
  name: NAME,
  contentTypes: ['text/csv'],
  recognise({ table }, options) {
    const columns = columnsOf(table, options);
    const has = (field: Field) => columns.some((column) => column.field === field);
    if (!has('latitude') || !has('longitude')) return false;
    return options.columns !== undefined || columns.some(({ field }) => isMeasured(field));
  },

  async *read([content], { report, options }) {
    if (content === undefined) return;
    const { table } = content.head;
    const units = unitRowOf(content.head);
    const columns = columnsOf(table, options).map((column) => ({
      ...column,
      unit: column.unit ?? units?.[column.index]?.trim().toLowerCase(),
    }));
    const index = (field: Field) => columns.find((column) => column.field === field)?.index ?? -1;
    const at = {
      time: index('time'),
      latitude: index('latitude'),
      longitude: index('longitude'),
      altitude: index('altitude'),
    };
    const missing = Object.entries(at).filter(([, column]) => column === -1);
    if (missing.length > 0) {
      throw new FlightFileError(
        'missing_columns',
        `the table has no column ${missing.map(([name]) => name).join(' and ')}; it has ${table.names.slice(0, 20).join(', ')}; name them with --columns`,
      );
    }
    const altitudeScale = scaleOf(columns, 'altitude', table);
    const measured = (['true_airspeed', 'aircraft_mass', 'fuel_flow'] as const)
      .map((field) => ({ field, parts: partsOf(columns, field, table) }))
      .filter(({ parts }) => parts.length > 0);
    const date = index('date');
    const readTime = date === -1 ? undefined : await clockReader(content, date, at.time);
    const stem = stemOf(content.name);
    const flights = new Gathered<string>({ format: NAME, kind: 'flown', file: content.name }, report);
    let isUnitRow = units !== undefined;
    for await (const rows of rowBatches(content, report)) {
      for (const { cells, line } of rows) {
        if (isUnitRow) {
          isUnitRow = false;
          continue;
        }
        if (cells === undefined) {
          report.points++;
          report.refusePoint('parse_error', content.name, `line ${line}`);
          continue;
        }
        const number = (column: number) => cellNumber(cells[column], table.separator);
        const id = detailOf(cells[index('flight_id')]) ?? stem;
        const draft = flights.of(id, () => ({ flight_id: id }));
        draft.know({
          callsign: detailOf(cells[index('callsign')]),
          tail_number: detailOf(cells[index('tail_number')]),
          aircraft_type: codeOf(cells[index('aircraft_type')]),
        });
        const values: Partial<Record<Measured, number>> = {};
        for (const { field, parts } of measured) {
          values[field] = parts.reduce((sum, { column, scale }) => sum + number(column) * scale, 0);
        }
        const point = {
          timeMs:
            readTime === undefined
              ? timeOf(cells[at.time])
              : readTime(cells[date] ?? '', cells[at.time] ?? '', id),
          longitude: number(at.longitude),
          latitude: number(at.latitude),
          altitudeFt: number(at.altitude) * altitudeScale,
        };
        const isOnGround = ON.includes(cells[index('on_ground')]?.trim().toLowerCase() ?? '');
        const isWhole = !Object.values(point).some(Number.isNaN);
        draft.add({
          ...point,
          measured: values,
          refusal: isOnGround && isWhole ? 'on_ground' : undefined,
          at: line,
        });
      }
    }
    yield* flights.finish();
  },
};

interface Column {
  readonly index: number;
  readonly title: string;
  readonly field: Field;
  readonly isPerEngine: boolean;
  readonly unit: string | undefined;
}

const WITH_UNIT = /^(.*?)\s*(?:\[([^\]]*)\]|\(([^)]*)\))\s*$/;

function columnsOf(table: Table, { columns = {} }: FormatOptions): Column[] {
  const mapped = new Map(Object.entries(columns).map(([name, field]) => [name.trim().toLowerCase(), field]));
  return table.names.flatMap((title, index): Column[] => {
    const text = mapped.get(title.toLowerCase()) ?? title;
    const match = WITH_UNIT.exec(text);
    const name = (match?.[1] ?? text)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '');
    const unit = (match?.[2] ?? match?.[3])?.trim().toLowerCase();
    if (ENGINE.test(name)) return [{ index, title, field: 'fuel_flow', isPerEngine: true, unit }];
    const field = (Object.keys(NAMES) as Field[]).find((one) =>
      (NAMES[one] as readonly string[]).includes(name),
    );
    return field === undefined ? [] : [{ index, title, field, isPerEngine: false, unit }];
  });
}

function isMeasured(field: Field): field is 'true_airspeed' | 'aircraft_mass' | 'fuel_flow' {
  return field === 'true_airspeed' || field === 'aircraft_mass' || field === 'fuel_flow';
}

/** Columns of a table with fuel flow, mass or airspeed. */
export function measuredColumns(table: Table): readonly { field: string; isPerEngine: boolean }[] {
  return columnsOf(table, {}).filter(({ field }) => isMeasured(field));
}

/** Whether a table states units, in its header or in a row below. */
export function hasUnits(head: Head): boolean {
  const inHeader = columnsOf(head.table, {}).some(({ unit }) => unit !== undefined);
  return inHeader || unitRowOf(head) !== undefined;
}

/** A second row without numbers of which at least half of the cells are units. */
function unitRowOf(head: Head): readonly string[] | undefined {
  const { table, lines } = head;
  const cells = (lines[1] ?? '').split(table.separator).map((cell) => cell.replaceAll('"', '').trim());
  if (cells.length !== table.names.length) return undefined;
  const isNumber = cells.some((cell) => !Number.isNaN(cellNumber(cell, table.separator)));
  const units = cells.filter((cell) => ALL_UNITS.has(cell.toLowerCase()));
  return !isNumber && units.length * 2 >= cells.length ? cells : undefined;
}

function scaleOf(columns: readonly Column[], quantity: Quantity, table: Table): number {
  return partsOf(columns, quantity, table)[0]?.scale ?? Number.NaN;
}

/** The columns of a quantity: its own, or one for each engine. */
function partsOf(
  columns: readonly Column[],
  quantity: Quantity,
  { names }: Table,
): { readonly column: number; readonly scale: number }[] {
  const all = columns.filter(({ field }) => field === quantity);
  const total = all.find(({ isPerEngine }) => !isPerEngine);
  return (total === undefined ? all : [total]).map(({ index, unit }) => {
    const title = names[index] ?? quantity;
    const scales = UNITS[quantity];
    if (unit === undefined || unit === '' || !Object.hasOwn(scales, unit)) {
      const what =
        unit === undefined || unit === '' ? 'has no unit' : `has the unit ${unit}, which is not known`;
      const name = title.replace(WITH_UNIT, '$1');
      throw new FlightFileError(
        'unit_unknown',
        `the column ${name} ${what}; write it as ${name} [${EXAMPLES[quantity]}] or give it with --columns`,
      );
    }
    return { column: index, scale: scales[unit] as number };
  });
}

type Order = 'day first' | 'month first';
const ISO_DATE = /^(\d{4})-(\d\d?)-(\d\d?)$/;
const DAY_FIRST = /^(\d\d?)[-.](\d\d?)[-.](\d{4})$/;
const SLASHES = /^(\d\d?)\/(\d\d?)\/(\d{4})$/;
const CLOCK = /^(\d\d?):(\d\d):(\d\d(?:\.\d+)?)$/;

/** Reads times of tables that have dates and clocks apart. A clock that falls while the date stays is of the next day. */
async function clockReader(
  content: Content,
  dateColumn: number,
  timeColumn: number,
): Promise<(date: string, clock: string, flight: string) => number> {
  const order = await slashOrder(content, dateColumn);
  const last = new Map<string, { date: string; clock: number; days: number }>();
  return (date, clock, flight) => {
    const match = CLOCK.exec(clock.trim());
    // A time with its own date, or seconds since 1970.
    if (match === null) return timeColumn === -1 ? Number.NaN : timeOf(clock);
    const clockOfDay = clockMs(Number(match[1]), Number(match[2]), Number(match[3]));
    const day = dateOf(date.trim(), order);
    if (Number.isNaN(clockOfDay) || Number.isNaN(day)) return Number.NaN;
    const before = last.get(flight);
    const isSameDate = before?.date === date.trim();
    const days = isSameDate ? before.days + (before.clock - clockOfDay > DAY_MS / 2 ? 1 : 0) : 0;
    last.set(flight, { date: date.trim(), clock: clockOfDay, days });
    return day + clockOfDay + days * DAY_MS;
  };
}

function dateOf(text: string, order: Order | undefined): number {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) return dayMs(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const [, first, second, year] = DAY_FIRST.exec(text) ?? SLASHES.exec(text) ?? [];
  const isMonthFirst = text.includes('/') && order === 'month first';
  return isMonthFirst
    ? dayMs(Number(year), Number(first), Number(second))
    : dayMs(Number(year), Number(second), Number(first));
}

/** Which number of dates with slashes is the day: some row must have one above 12. */
async function slashOrder(content: Content, column: number): Promise<Order | undefined> {
  let hasSlashes = false;
  let shown = '';
  for await (const rows of rowBatches(content, new FileReport())) {
    for (const { cells } of rows) {
      const match = SLASHES.exec(cells?.[column]?.trim() ?? '');
      if (match === null) continue;
      hasSlashes = true;
      shown ||= match[0];
      if (Number(match[1]) > 12) return 'day first';
      if (Number(match[2]) > 12) return 'month first';
    }
  }
  if (!hasSlashes) return undefined;
  throw new FlightFileError(
    'ambiguous_date',
    `the date ${shown} may be day/month or month/day, and no row settles it; write dates as YYYY-MM-DD`,
  );
}
