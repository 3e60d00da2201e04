import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { type LevelKind, levelKind, readCode, variableOf } from './parameters.ts';
import { signed, viewOf } from './sections.ts';

/** When a field holds, and for which member of an ensemble. */
export interface ProductTimes {
  /** Start of the forecast (or of the analysis) [ms since 1970]. */
  readonly referenceTimeMs: number;
  /** Time of the value, or the end of the interval it is accumulated or averaged over [ms since 1970]. */
  readonly timeMs: number;
  /** Start of that interval, else the time of the value [ms since 1970]. */
  readonly intervalStartMs: number;
  /** Number of the ensemble member, in files of an ensemble. */
  readonly member: number | undefined;
  /** How values of an interval were made of it; undefined for values at an instant. */
  readonly statistic: 'mean' | 'accumulation' | undefined;
}

/** What a field is and when and where it holds. */
export interface Product extends ProductTimes {
  readonly variable: string;
  readonly levelKind: LevelKind;
  /** [hPa] of isobaric levels, number of hybrid ones, NaN else. */
  readonly level: number;
  /** Coefficients of the half levels, a before b, where the field is on a hybrid level and carries them. */
  readonly coefficients: Float32Array | undefined;
}

const MS_PER_UNIT: Readonly<Record<number, number>> = {
  0: MINUTE_MS,
  1: HOUR_MS,
  2: DAY_MS,
  10: 3 * HOUR_MS,
  11: 6 * HOUR_MS,
  12: 12 * HOUR_MS,
  13: SECOND_MS,
};

/** Templates of a value at an instant, and of one over an interval with the position of its end. */
const INSTANT = new Set([0, 1]);
const OF_ENSEMBLE = new Set([1, 11]);
const INTERVAL_END: Readonly<Record<number, number>> = { 8: 34, 11: 37 };

/** Reads sections 1 and 4; undefined for fields the models do not use. */
export function readProduct(
  discipline: number,
  identification: Uint8Array,
  section: Uint8Array,
): Product | undefined {
  const view = viewOf(section);
  if (!isTimed(view.getUint16(7))) return undefined;
  const kind = levelKind(view.getUint8(22));
  if (kind === undefined) return undefined;
  const variable = variableOf(readCode(discipline, identification, section), kind);
  if (variable === undefined) return undefined;
  return {
    variable,
    levelKind: kind,
    level: readLevel(view, kind),
    ...readTimes(identification, section),
    coefficients: kind === 'hybrid' ? readCoefficients(view) : undefined,
  };
}

const isTimed = (template: number): boolean => INSTANT.has(template) || INTERVAL_END[template] !== undefined;

/** Reads times and member from sections 1 and 4. */
export function readTimes(identification: Uint8Array, section: Uint8Array): ProductTimes {
  const view = viewOf(section);
  const template = view.getUint16(7);
  if (!isTimed(template)) throw new RangeError(`product template 4.${template} is not read`);
  const referenceTimeMs = readTime(viewOf(identification), 12);
  const unit = MS_PER_UNIT[view.getUint8(17)];
  if (unit === undefined)
    throw new RangeError(`time unit ${view.getUint8(17)} of code table 4.4 is not read`);
  const intervalEnd = INTERVAL_END[template];
  const statistic = intervalEnd === undefined ? undefined : STATISTICS[view.getUint8(intervalEnd + 12)];
  const startMs = referenceTimeMs + signed(view.getUint32(18), 32) * unit;
  const timeMs = intervalEnd === undefined ? startMs : readTime(view, intervalEnd);
  // Some sums are coded with the step alone, not with the range that ends there.
  const isSinceStart = statistic === 'accumulation' && startMs === timeMs;
  return {
    referenceTimeMs,
    timeMs,
    intervalStartMs: isSinceStart ? referenceTimeMs : startMs,
    member: OF_ENSEMBLE.has(template) ? view.getUint8(35) : undefined,
    statistic,
  };
}

/** They are at the end of the section. */
function readCoefficients(view: DataView): Float32Array | undefined {
  const count = view.getUint16(5);
  const start = view.byteLength - 4 * count;
  if (count === 0 || start < 34) return undefined;
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(start + 4 * i));
}

const STATISTICS: Readonly<Record<number, 'mean' | 'accumulation'>> = { 0: 'mean', 1: 'accumulation' };

function readLevel(view: DataView, kind: LevelKind): number {
  const value = view.getUint32(24) * 10 ** -signed(view.getUint8(23), 8);
  if (kind === 'isobaric') return value / 100;
  return kind === 'hybrid' ? value : Number.NaN;
}

function readTime(view: DataView, at: number): number {
  return Date.UTC(
    view.getUint16(at),
    view.getUint8(at + 2) - 1,
    view.getUint8(at + 3),
    view.getUint8(at + 4),
    view.getUint8(at + 5),
    view.getUint8(at + 6),
  );
}
