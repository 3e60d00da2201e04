/** Sums over the flights of some days: for charts, and to see which days there are. */
import { writeFile } from 'node:fs/promises';
import { readParquet } from '@contrails/engine/inventory/parquet';
import { contrailMetrics, METRIC_NAMES } from '@contrails/physics/climate';
import type { App } from '@contrails/platform/http/app';
import type { createCutFiles } from '@contrails/platform/http/cut-files';
import { type File, sendFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { time } from '@contrails/runtime/options/time';
import { SUMMARY_PARAMETERS, summaryConditions } from './filters.ts';
import { type DayServices, type PublishedDays, requireRuns } from './published-days.ts';
import { totalsSchema } from './schema.ts';

const MAX_DAYS = 92;
const MAX_GROUPS = 1000;
const MEMORY_MIB = 256;

/** What a group is, as an expression of a flight; null where it is not known. */
const GROUPS = {
  day: "strftime(time_start, '%Y-%m-%d')",
  hour: "strftime(time_start, '%H')",
  airline: 'airline_iata',
  type: 'aircraft_type_icao',
  route: "departure_airport_icao || '-' || arrival_airport_icao",
  country: 'departure_country_iso',
  grade: 'dq_grade',
} as const;
type Grouping = keyof typeof GROUPS;
const GROUPINGS = Object.keys(GROUPS) as [Grouping, ...Grouping[]];
const IN_ORDER: readonly Grouping[] = ['day', 'hour', 'grade'];

const SUMS = {
  km: 'chunk_len_km',
  fuel_kg: 'total_fuel_burn_kg',
  co2_kg: 'total_co2_kg',
  contrail_km: 'total_persistent_contrail_length_km',
  ef_mj: 'sum_ef_mj',
  ef_warming_mj: 'ef_warming_mj',
  co2e20_kg: 'co2e20_kg',
  co2e50_kg: 'co2e50_kg',
  co2e100_kg: 'co2e100_kg',
} as const;

/** Those whose CO2 equivalents do not depend on the set of warming potentials. */
const TEMPERATURE_METRICS = METRIC_NAMES.filter((name) => !name.startsWith('gwp'));

export function serveTotals(app: App, services: DayServices, files: ReturnType<typeof createCutFiles>): void {
  app.get(
    '/v1/inventory/totals',
    {
      config: { scope: 'inventory', problems: ['not-found'] },
      schema: {
        tags: ['inventory'],
        summary: 'Sums over the flights of one or more days',
        description:
          'Flights, distance, fuel, CO2, contrails and their CO2 equivalents of all flights that begin on the days, in total and for each group. Days and hours are in chronological order, other groups are ordered by their CO2 equivalent over 100 years. Days without an inventory are listed and not counted.',
        querystring: query({
          from: time('First day; the time of day is ignored.'),
          days: byDefault(
            number({ integer: true, minimum: 1, maximum: MAX_DAYS, description: 'Number of days.' }),
            1,
          ),
          by: byDefault(
            choice(
              GROUPINGS,
              'How flights are grouped: `route` is a pair of airports, `country` the country of departure, `hour` the UTC hour of the start, `grade` the quality of the telemetry.',
            ),
            'day',
          ),
          limit: byDefault(
            number({
              integer: true,
              minimum: 1,
              maximum: MAX_GROUPS,
              description: 'Maximum number of groups to return.',
            }),
            100,
          ),
          ...SUMMARY_PARAMETERS,
        }),
        response: fileResponses('The sums.', { 'application/json': { schema: totalsSchema } }),
      },
    },
    async (request, reply) => {
      const { from, days, by, limit, ...given } = request.query;
      const runs = await requireRuns(services, from, days);
      const file = await totalsFile(services.store, files, runs, { by, limit }, summaryConditions(given));
      return sendFile(request, reply, file, { contentType: 'application/json' });
    },
  );
}

function totalsFile(
  store: Store,
  files: ReturnType<typeof createCutFiles>,
  { manifests, missing }: PublishedDays,
  { by, limit }: { readonly by: Grouping; readonly limit: number },
  conditions: readonly string[],
): Promise<File> {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const stored = manifests.map(({ summary }) => summary);
  const subject = [
    'totals by nine metrics',
    by,
    limit,
    where,
    ...missing,
    ...stored.map(({ sha256 }) => sha256),
  ].join(' ');
  const modifiedMs = Math.max(...manifests.map(({ processed_at }) => Date.parse(processed_at)));
  return files.open(subject, modifiedMs, (path) =>
    withWorkspace({ memoryMiB: MEMORY_MIB, threads: 1 }, async ({ duckdb, directory }) => {
      const keys = stored.map(({ key }) => key);
      const flights = `${readParquet(await localCopies(store, keys, directory), [])} ${where}`;
      const sums = Object.entries(SUMS).map(
        ([name, column]) => `coalesce(sum(${column}), 0)::DOUBLE AS ${name}`,
      );
      const figures = `count(*)::DOUBLE AS flights, ${sums.join(', ')}`;
      const order = IN_ORDER.includes(by) ? '' : 'co2e100_kg DESC, ';
      const groups = await duckdb.rows(
        `SELECT ${GROUPS[by]} AS key, ${figures} FROM ${flights} GROUP BY ALL ORDER BY ${order}key NULLS LAST`,
      );
      const [total] = await duckdb.rows(`SELECT ${figures} FROM ${flights}`);
      const answer = {
        days: manifests.map(({ date, run_id, status }) => ({ date, run_id, status })),
        missing,
        by,
        total: withMetrics(total ?? {}),
        group_count: groups.length,
        groups: groups.slice(0, limit).map(withMetrics),
      };
      await writeFile(path, `${JSON.stringify(answer)}\n`);
    }),
  );
}

/** Sums with the CO2 equivalents under the other metrics, which are proportional to the energy forcing. */
function withMetrics<Sums extends Readonly<Record<string, unknown>>>(sums: Sums) {
  const metrics = contrailMetrics(1e6 * Number(sums.ef_mj ?? 0));
  return {
    ...sums,
    ...Object.fromEntries(TEMPERATURE_METRICS.map((name) => [`co2e_${name}_kg`, metrics[name]] as const)),
  };
}
