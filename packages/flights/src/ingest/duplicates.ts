/** Reports of one aircraft at one time: which of them stays. */
import { POSITION_SOURCES, TELEMETRY_COLUMNS } from '../telemetry/columns.ts';

/** What the choice depends on. */
export interface ReportQuality {
  readonly positionAgeS: number;
  /** Index in `POSITION_SOURCES`. */
  readonly positionSource: number;
  /** NaN when unknown. */
  readonly nic: number;
  readonly nacp: number;
  /** When it was received [ms since 1970], or any number that grows with it. */
  readonly received: number;
  /** Name of the source. */
  readonly source: string;
}

const [ADSB, MLAT] = [POSITION_SOURCES.indexOf('adsb'), POSITION_SOURCES.indexOf('mlat')];

/**
 * Negative when the first of two reports with the same address and time wins: the one with the smaller position age, then
 * ADS-B before MLAT before others, higher nic, higher nacp, received earlier, source name.
 */
export function compareReports(a: ReportQuality, b: ReportQuality): number {
  return (
    a.positionAgeS - b.positionAgeS ||
    sourceRank(a.positionSource) - sourceRank(b.positionSource) ||
    known(b.nic) - known(a.nic) ||
    known(b.nacp) - known(a.nacp) ||
    a.received - b.received ||
    (a.source < b.source ? -1 : a.source > b.source ? 1 : 0)
  );
}

function sourceRank(positionSource: number): number {
  if (positionSource === ADSB) return 0;
  return positionSource === MLAT ? 1 : 2;
}

/** An unknown category is worse than the lowest. */
function known(category: number): number {
  return Number.isNaN(category) ? -1 : category;
}

/** Columns of a table of reports in SQL that the order of `compareReports` is made from. */
export interface QualityColumns {
  readonly positionAgeS: string;
  readonly positionSource: string;
  readonly nic: string;
  readonly nacp: string;
  readonly received: string;
  readonly source: string;
}

/** The order of `compareReports` for ORDER BY. */
export function winnerOrder(columns: QualityColumns): string {
  const { positionAgeS, positionSource, nic, nacp, received, source } = columns;
  return [
    positionAgeS,
    `CASE ${positionSource} WHEN ${ADSB} THEN 0 WHEN ${MLAT} THEN 1 ELSE 2 END`,
    `coalesce(${nic}, -1) DESC`,
    `coalesce(${nacp}, -1) DESC`,
    received,
    source,
  ].join(', ');
}

/** Whether two rows of SQL, `a` and `b`, are equal in every column of the telemetry table. */
export function sameReport(a: string, b: string): string {
  return TELEMETRY_COLUMNS.map((name) => `${a}.${name} IS NOT DISTINCT FROM ${b}.${name}`).join(' AND ');
}
