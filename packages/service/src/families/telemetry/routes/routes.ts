import { bbox } from '@contrails/engine/grid/bbox';
import { TELEMETRY_COLUMNS } from '@contrails/flights';
import type { App, Routes } from '@contrails/platform/http/app';
import { sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { hourOf, isoHour } from '@contrails/runtime';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { hourTime } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import type { TelemetryRules } from '../../../telemetry-store/config.ts';
import { readManifest } from '../../../telemetry-store/manifest.ts';
import { createFilteredFiles, type Filter, isFiltered } from './filter.ts';
import { serveIngest } from './ingest.ts';
import { hourNotFound } from './not-found.ts';

type RouteServices = Pick<Services, 'database' | 'store'>;

const PARQUET = 'application/vnd.apache.parquet';
const MAX_VALUES = 100;

const codes = (description: string, pattern: RegExp, accepted: string, example: string) =>
  optional(
    list(text({ maxLength: 40, pattern, accepted, examples: [example] }), {
      description,
      maxItems: MAX_VALUES,
    }),
  );

const parameters = {
  date: hourTime('The hour.'),
  bbox: optional(
    bbox(
      'Only reports in the box min_lon,min_lat,max_lon,max_lat in degrees, edges included. min_lon > max_lon crosses the antimeridian.',
    ),
  ),
  airline_iata: codes(
    'Only reports of these airlines.',
    /^[A-Za-z0-9]{2}$/,
    'two letters or digits such as LX',
    'LX',
  ),
  icao_address: codes(
    'Only reports of these transponder addresses.',
    /^[0-9A-Fa-f]{6}$/,
    'six hexadecimal digits such as 4B1800',
    '4B1800',
  ),
  flight_id: codes(
    'Only reports of these flights.',
    /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
    'a UUID',
    '6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11',
  ),
  columns: optional(
    list(choice(TELEMETRY_COLUMNS), {
      description: 'Only these columns, in the order of the table.',
      maxItems: MAX_VALUES,
    }),
  ),
};

export function telemetryRoutes(services: RouteServices, rules: TelemetryRules): Routes {
  return (app) => {
    serveTelemetry(app, services, rules);
    serveIngest(app, services, rules);
  };
}

function serveTelemetry(app: App, services: RouteServices, rules: TelemetryRules): void {
  const { store } = services;
  const filtered = createFilteredFiles(store);
  app.addHook('onClose', () => filtered.close());
  app.get(
    '/v1/adsb/telemetry',
    {
      config: { scope: 'adsb', problems: ['not-found'] },
      schema: {
        tags: ['adsb'],
        summary: 'ADS-B telemetry of one hour',
        description:
          'All reports of one hour as Parquet, ordered by time and address, with times in UTC without a zone. Filters and `columns` return a smaller file. A 404 has the member `reason`: `no_data` for an hour that never had any data, `not_sealed` with `Retry-After` for one that is not complete yet, `removed` for one that is no longer kept.',
        querystring: query(parameters),
        response: fileResponses('The hour.', { [PARQUET]: { schema: Type.String({ format: 'binary' }) } }),
      },
    },
    async (request, reply) => {
      const { date, ...given } = request.query;
      const hourMs = hourOf(date);
      // Resolve once: new publications do not change the file that this request reads.
      const current = await readManifest(store, hourMs);
      if (current === undefined || current.manifest.state === 'removed') {
        throw await hourNotFound(services.database, rules, hourMs, current !== undefined, Date.now());
      }
      const filter = filterOf(given);
      const { manifest } = current;
      const file = isFiltered(filter)
        ? await filtered.open(manifest, filter)
        : await storedFile(store, manifest.served.key);
      return sendFile(request, reply, file, {
        contentType: PARQUET,
        name: `telemetry_${isoHour(hourMs)}.parquet`,
      });
    },
  );
}

interface GivenFilter {
  readonly bbox: Filter['bbox'];
  readonly airline_iata: string[] | undefined;
  readonly icao_address: string[] | undefined;
  readonly flight_id: string[] | undefined;
  readonly columns: Filter['columns'];
}

function filterOf({ bbox: box, airline_iata, icao_address, flight_id, columns }: GivenFilter): Filter {
  return {
    bbox: box,
    airlines: airline_iata?.map((name) => name.toUpperCase()),
    addresses: icao_address?.map((address) => address.toUpperCase()),
    flightIds: flight_id?.map((id) => id.toLowerCase()),
    columns,
  };
}
