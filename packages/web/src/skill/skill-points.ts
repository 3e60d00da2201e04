/** What a skill curve is drawn from: rows of a score and published points. */
import type { ForecastSkill } from '@contrails/client';
import { BENCHMARK } from '../map/benchmark.ts';

export type ScoreRow = ForecastSkill['rows'][number];

/** Kinds of observations that hit rates are of. */
export const SOURCES = [
  { source: 'iagos', name: 'IAGOS', column: 'iagos_hit_rate' },
  { source: 'gruan', name: 'GRUAN', column: 'gruan_hit_rate' },
  { source: 'contrailwatch', name: 'Satellites', column: 'contrailwatch_hit_rate' },
] as const;

export type HitRate = (typeof SOURCES)[number]['column'];

/** All in per cent. */
export interface CurvePoint {
  readonly buffer: number;
  readonly penalty: number;
  readonly hitRate: number;
  readonly penaltyEnds: readonly [number, number] | undefined;
  readonly hitRateEnds: readonly [number, number] | undefined;
}

/** The dots of one line, in the order of buffers. */
export function curveOf(rows: readonly ScoreRow[], column: HitRate): CurvePoint[] {
  return rows.flatMap((row): CurvePoint[] => {
    const [penalty, hitRate] = [row.penalty, row[column]];
    if (penalty === null || hitRate === null) return [];
    return [
      {
        buffer: row.horizontal_buffer,
        penalty: 100 * penalty,
        hitRate: 100 * hitRate,
        penaltyEnds: ends(row.penalty_lo, row.penalty_hi),
        hitRateEnds: ends(row[`${column}_lo`], row[`${column}_hi`]),
      },
    ];
  });
}

function ends(low: number | null, high: number | null): readonly [number, number] | undefined {
  return low === null || high === null ? undefined : [100 * low, 100 * high];
}

export interface PublishedPoint {
  readonly name: string;
  readonly setting: string;
  readonly penalty: number;
  readonly hitRate: number;
}

/** Those that the operator gave, else what is known of the public benchmark for the globe and the year. */
export function publishedPoints(
  { published }: Pick<ForecastSkill, 'published'>,
  region: string,
  season: string,
): PublishedPoint[] {
  if (published.length === 0)
    return region === 'global' && season === 'annual'
      ? BENCHMARK.map(({ buffer, affected, hitRate }) => ({
          ...{ name: 'contrails.org', setting: String(buffer), penalty: affected, hitRate },
        }))
      : [];
  return published
    .filter((point) => point.region === region && point.season === season)
    .flatMap((point) => {
      const setting = point.probability_threshold ?? point.rhi_threshold ?? point.horizontal_buffer ?? '';
      return SOURCES.flatMap(({ column }) => {
        const [penalty, hitRate] = [point.penalty, point[column]];
        if (typeof penalty !== 'number' || typeof hitRate !== 'number') return [];
        const name = String(point.forecast);
        return [{ name, setting: String(setting), penalty: 100 * penalty, hitRate: 100 * hitRate }];
      });
    });
}

/** `42 % (38–47)` */
export function rateText(value: number | null, low: number | null, high: number | null): string {
  if (value === null) return '–';
  const per = (share: number) => (100 * share).toFixed(1);
  return low === null || high === null ? `${per(value)} %` : `${per(value)} % (${per(low)}–${per(high)})`;
}
