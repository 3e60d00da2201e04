/**
 * Which reports of an hour stay: one of each key, and of these the first of each interval of an aircraft. The result depends
 * on the set of reports alone.
 */
import { compareReports, qualityOf, TELEMETRY_COLUMNS } from '@contrails/flights';
import { type HourRows, rowsFrom, sortByAircraft } from './rows.ts';

export type LossCode = 'duplicate' | 'conflicting_duplicate' | 'thinned';

export interface SettleRules {
  readonly thinS: number;
  /** Is called with each report that does not stay. */
  lost(row: number, code: LossCode): void;
  /** Called now and then, so the event loop can run. */
  pause(): Promise<void>;
}

/** The event loop runs after so many rows. */
const ROWS_AT_ONCE = 100_000;

/**
 * The rows from `first` that stay, in the order of address and time. Their marks of new legs, their numbers of sources and
 * their quality are set.
 */
export async function settleRows(rows: HourRows, first: number, rules: SettleRules): Promise<Uint32Array> {
  const order = rowsFrom(rows, first);
  await sortByAircraft(rows, order);
  const addresses = rows.integers('icao_address');
  let kept = 0;
  let rested = 0;
  for (let from = 0; from < order.length; ) {
    const address = addresses[order[from] as number];
    let to = from + 1;
    while (to < order.length && addresses[order[to] as number] === address) to++;
    const unique = leaveUnique(rows, order, from, to, rules);
    const stayed = thinAirframe(rows, order.subarray(from, unique), rules);
    markQuality(rows, order.subarray(from, from + stayed));
    order.copyWithin(kept, from, from + stayed);
    kept += stayed;
    if (to - rested > ROWS_AT_ONCE) {
      rested = to;
      await rules.pause();
    }
    from = to;
  }
  return order.subarray(0, kept);
}

/** Leaves the best of each key at the start of the part from `from` to `to`; returns where they end. */
function leaveUnique(
  rows: HourRows,
  order: Uint32Array,
  from: number,
  to: number,
  { lost }: SettleRules,
): number {
  const times = rows.integers('timestamp');
  let unique = from;
  for (let i = from; i < to; ) {
    const row = order[i] as number;
    let end = i + 1;
    while (end < to && times[order[end] as number] === times[row]) end++;
    order[unique++] = end === i + 1 ? row : bestOf(rows, order.slice(i, end), lost);
    i = end;
  }
  return unique;
}

/** The best of reports with the same key; it inherits leg flags and sources of the others. */
function bestOf(rows: HourRows, same: Uint32Array, lost: SettleRules['lost']): number {
  const best = same.reduce((one, other) => (compareRows(rows, other, one) < 0 ? other : one));
  const [legFlags, counts, sources] = [
    rows.integers('leg_flag'),
    rows.integers('rx_count'),
    rows.integers('source'),
  ];
  const heard = new Set<number>();
  let [hasFlag, maxHeard] = [0, 0];
  for (const row of same) {
    heard.add(sources[row] as number);
    hasFlag = Math.max(hasFlag, legFlags[row] as number);
    maxHeard = Math.max(maxHeard, counts[row] as number);
    if (row !== best) lost(row, hasSameContent(rows, row, best) ? 'duplicate' : 'conflicting_duplicate');
  }
  legFlags[best] = hasFlag;
  counts[best] = Math.max(heard.size, maxHeard);
  return best;
}

function hasSameContent(rows: HourRows, row: number, other: number): boolean {
  return TELEMETRY_COLUMNS.every((name) => rows.isSame(name, row, other));
}

/**
 * The best report of a key comes first. The rule "the one received earlier wins" is left out on purpose: an hour has to have
 * the same bytes in whatever order its batches arrive, and is built again from batches that are sent again. The
 * only age that belongs to a report itself is that of its position, which stands in for the time of arrival (and has decided
 * already); after the source, the content decides.
 */
function compareRows(rows: HourRows, row: number, other: number): number {
  return (
    compareReports(reportQuality(rows, row), reportQuality(rows, other)) ||
    compareContent(rows, row, other) ||
    compareValues(rows.value('pos_source', row), rows.value('pos_source', other))
  );
}

function reportQuality(rows: HourRows, row: number) {
  const number = (name: 'nic' | 'nacp' | 'pos_age_s' | 'pos_source', unknown: number) =>
    Number(rows.value(name, row) ?? unknown);
  const positionAgeS = number('pos_age_s', Number.POSITIVE_INFINITY);
  return {
    positionAgeS,
    positionSource: number('pos_source', -1),
    nic: number('nic', Number.NaN),
    nacp: number('nacp', Number.NaN),
    received: positionAgeS,
    source: String(rows.value('source', row)),
  };
}

function compareContent(rows: HourRows, row: number, other: number): number {
  for (const name of TELEMETRY_COLUMNS) {
    if (rows.isSame(name, row, other)) continue;
    const order = compareValues(rows.value(name, row), rows.value(name, other));
    if (order !== 0) return order;
  }
  return 0;
}

/** Unknown values come first, and the negative zero before the other. */
function compareValues(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  if (a === b) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return a < b ? -1 : 1;
}

/**
 * Leaves the first report of each interval of one aircraft at the start of its rows; returns how many. A mark of a new leg on
 * a report that is dropped goes to the next one of the hour, or to the one before where there is none: the next hour does not
 * know of it.
 */
function thinAirframe(rows: HourRows, order: Uint32Array, { thinS, lost }: SettleRules): number {
  const times = rows.integers('timestamp');
  const legFlags = rows.integers('leg_flag');
  let kept = 0;
  let lastInterval = Number.NaN;
  let hasFlag = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    hasFlag = Math.max(hasFlag, legFlags[row] as number);
    const timeMs = rows.hourMs + (times[row] as number);
    const interval = thinS === 0 ? timeMs : Math.floor(timeMs / (thinS * 1000));
    if (interval === lastInterval) {
      lost(row, 'thinned');
      continue;
    }
    lastInterval = interval;
    legFlags[row] = hasFlag;
    hasFlag = 0;
    order[kept++] = row;
  }
  if (hasFlag > 0) legFlags[order[kept - 1] as number] = 1;
  return kept;
}

/** Rows of one aircraft, in the order of time. */
function markQuality(rows: HourRows, order: Uint32Array): void {
  const marks = qualityOf({
    timestamp: rows.numbers('timestamp', order),
    altitude_baro: rows.numbers('altitude_baro', order),
    altitude_gnss: rows.numbers('altitude_gnss', order),
    nic: rows.numbers('nic', order),
    nacp: rows.numbers('nacp', order),
  });
  const quality = rows.integers('quality');
  for (let i = 0; i < marks.length; i++) quality[order[i] as number] = marks[i] as number;
}
