/** What became of the telemetry of a day, in counts and in minutes, and whether the figures are plausible. */
import type { DuckDb } from '@contrails/formats';
import type { Check, Completeness } from '../../../inventory-store/manifest.ts';

/** Minutes of a computed flight that lie outside its reports. */
const ADDED = `greatest(0, date_diff('minute', s.time_start, l.first_time) + CASE WHEN l.first_time > s.time_start AND l.first_time > date_trunc('minute', l.first_time) THEN 1 ELSE 0 END)
  + greatest(0, date_diff('minute', l.last_time, s.time_end))`;

export type DayFigures = Pick<Completeness, 'legs' | 'minutes' | 'flights' | 'totals' | 'checks'> & {
  readonly weather: Pick<Completeness['weather'], 'source' | 'days'>;
  readonly waiting: number;
};

/** Figures of the views `day_legs`, `previous_legs` and `day_summary`. */
export async function figuresOf(duckdb: DuckDb): Promise<DayFigures> {
  const outcomes = await duckdb.rows(
    'SELECT outcome, count(*) AS n, sum(minutes_in) AS minutes FROM day_legs GROUP BY outcome ORDER BY outcome',
  );
  const isFlight = (outcome: unknown) => outcome === 'ok' || outcome === 'partial';
  const byOutcome = Object.fromEntries(outcomes.map(({ outcome, n }) => [String(outcome), Number(n)]));
  const rejected: Record<string, number> = {};
  for (const { outcome, minutes } of outcomes) {
    if (!isFlight(outcome)) rejected[String(outcome)] = Number(minutes ?? 0);
  }
  const [row] = await duckdb.rows(
    `SELECT coalesce(sum(l.minutes_in), 0) AS seen, coalesce(sum(s.seg_cnt), 0) AS flown,
       coalesce(sum(s.imputed_min), 0) AS imputed, coalesce(sum(${ADDED}), 0) AS added
     FROM day_summary AS s JOIN day_legs AS l ON l.flight_id = s.flight_id`,
  );
  const [inTelemetry] = await duckdb.rows('SELECT coalesce(sum(minutes_in), 0) AS n FROM day_legs');
  const figure = (name: string) => Number(row?.[name] ?? 0);
  const healing = figure('seen') - (figure('flown') - figure('added'));
  const [total] = await duckdb.rows(
    `SELECT count(*) AS flights, count_if(seg_ef_cnt > 0) AS persistent, count_if(sum_ef_mj > 0) AS warming,
       coalesce(sum(chunk_len_km), 0) AS km, coalesce(sum(total_fuel_burn_kg), 0) AS fuel,
       coalesce(sum(total_co2_kg), 0) AS co2, coalesce(sum(total_nox_kg), 0) AS nox,
       coalesce(sum(total_persistent_contrail_length_km), 0) AS persistent_km, coalesce(sum(sum_ef_mj), 0) AS ef,
       coalesce(sum(co2e20_kg), 0) AS co2e20, coalesce(sum(co2e50_kg), 0) AS co2e50,
       coalesce(sum(co2e100_kg), 0) AS co2e100,
       coalesce(string_agg(DISTINCT met_source_dataset, ', ' ORDER BY met_source_dataset), '') AS source,
       coalesce(min(split_part(met_days, '-', 1)) || '-' || max(split_part(met_days, '-', 2)), '') AS days
     FROM day_summary`,
  );
  const sum = (name: string) => Number(total?.[name] ?? 0);
  const flights = sum('flights');
  // Flights of the day before may end on this one.
  const [waiting] = await duckdb.rows(
    `SELECT count(*) AS n FROM (SELECT outcome FROM day_legs UNION ALL SELECT outcome FROM previous_legs)
     WHERE starts_with(outcome, 'waiting_')`,
  );
  return {
    legs: { total: outcomes.reduce((count, { n }) => count + Number(n), 0), by_outcome: byOutcome },
    minutes: {
      in_telemetry: Number(inTelemetry?.n ?? 0),
      added_at_airports: figure('added'),
      in_flights: figure('flown'),
      computed: figure('flown') - figure('imputed'),
      imputed: figure('imputed'),
      rejected: healing === 0 ? rejected : { ...rejected, healing },
    },
    flights: { computed: flights, with_persistent: sum('persistent'), net_warming: sum('warming') },
    totals: {
      km: sum('km'),
      fuel_kg: sum('fuel'),
      co2_kg: sum('co2'),
      ef_mj: sum('ef'),
      co2e20_kg: sum('co2e20'),
      co2e50_kg: sum('co2e50'),
      co2e100_kg: sum('co2e100'),
    },
    weather: { source: String(total?.source ?? ''), days: String(total?.days ?? '') },
    waiting: Number(waiting?.n ?? 0),
    checks: checksOf({
      flights,
      km: sum('km'),
      fuelKg: sum('fuel'),
      noxKg: sum('nox'),
      persistentKm: sum('persistent_km'),
      warming: sum('warming'),
    }),
  };
}

/** Wide bands around the published inventory of 2019. */
function checksOf(day: {
  readonly flights: number;
  readonly km: number;
  readonly fuelKg: number;
  readonly noxKg: number;
  readonly persistentKm: number;
  readonly warming: number;
}): Check[] {
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : null);
  const check = (name: string, value: number | null, band: readonly [number, number]): Check => ({
    name,
    value,
    band,
    ok: value !== null && value >= band[0] && value <= band[1],
  });
  return [
    check('fuel per distance [kg/km]', share(day.fuelKg, day.km), [3, 7]),
    check('NOx per fuel [g/kg]', share(1000 * day.noxKg, day.fuelKg), [10, 22]),
    check('distance with persistent contrails [%]', share(100 * day.persistentKm, day.km), [2, 20]),
    check('flights with net warming contrails [%]', share(100 * day.warming, day.flights), [5, 30]),
  ];
}
