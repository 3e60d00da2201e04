import { type AircraftClass, aircraftOfClass, type CocipAircraftType } from '@contrails/engine/grid/aircraft';
import { customOf, customRequest, makeCustomGrid } from '@contrails/engine/grid/custom-grid';
import { GRID_FORMATS, gridFileName, wholeSecond } from '@contrails/engine/grid/file';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { polygonShape } from '@contrails/engine/grid/level';
import {
  bufferParameter,
  cocipParameters,
  customParameters,
  gridBox,
  layout,
  treatmentOf,
  treatmentParameters,
} from '@contrails/engine/grid/parameters';
import type { GridTreatment } from '@contrails/engine/grid/treatment';
import type { App, Routes } from '@contrails/platform/http/app';
import { sendFile } from '@contrails/platform/http/files';
import { acceptedResponse } from '@contrails/platform/http/openapi-responses';
import { sendAccepted, wantsJob } from '@contrails/platform/http/respond-async';
import { HOUR_MS } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { query } from '@contrails/runtime/options/query';
import { gridFile, sendGrid } from '../../../endpoints/grids.ts';
import { cocipKind } from '../../../forecast-products/task.ts';
import { refuseSlow } from '../historical.ts';
import { type CocipServices, cocipGrid } from './cocip.ts';
import { bufferedRegions, forecastGrid, forecastRegions } from './grids.ts';
import {
  hoursAsked,
  type OpentopHours,
  opentopFile,
  opentopName,
  opentopParameters,
  timeUnlessOpentop,
  withOpentop,
} from './opentop.ts';
import { forecastParameters, gridUnits, onRequest, regionThreshold, runsParameters } from './params.ts';
import { forecastRuns } from './runs.ts';
import {
  costResponses,
  forecastGridResponses,
  OPENTOP_CONTENT,
  regionsResponses,
  runsAnswer,
  skillAnswer,
} from './schema.ts';
import { forecastSkill } from './skill.ts';

export interface ForecastRoutesOptions {
  /** Classes and types that are computed. */
  readonly classes: readonly AircraftClass[];
  readonly types: readonly CocipAircraftType[];
}

/** Precomputed contrail grids and the forecast; nothing is computed in a request that is not cut from stored products. */
export function forecastRoutes(services: CocipServices, { classes, types }: ForecastRoutesOptions): Routes {
  return (app) => {
    if (types.length > 0) serveCocip(app, services, types);
    const [first, ...others] = classes;
    if (first === undefined) return;
    serveGrids(app, services, [first, ...others]);
    serveRegions(app, services, [first, ...others]);
    serveRuns(app, services, [first, ...others]);
    serveSkill(app, services);
  };
}

function serveCocip(app: App, services: CocipServices, types: readonly CocipAircraftType[]): void {
  app.get(
    '/v0/grid/cocip',
    {
      config: { scope: 'research', problems: ['not-found'] },
      schema: {
        tags: ['grid'],
        summary: 'Contrail energy forcing per grid cell',
        description:
          'Energy forcing per metre of flight and age of the contrails of an aircraft in nominal cruise, for whole hours. As netCDF-4, or as polygons around the cells that reach a threshold. Forecasts are computed beforehand; the past is computed from reanalysis on request and stored. A grid that takes too long to compute returns 404 with `Retry-After`, or with `Prefer: respond-async` 202 with the `Location` of the job that computes it. With another humidity scaling, step, age, direction, fuel or mass, or with `on_request`, the grid is computed for this request alone, at any time.',
        querystring: query({
          ...cocipParameters(types),
          ...customParameters,
          on_request: onRequest,
          ...opentopParameters,
          time: timeUnlessOpentop('Time of the grid; UTC if no zone is given.'),
          format: withOpentop(
            GRID_FORMATS,
            'netCDF-4 with every cell, polygons around the cells as GeoJSON or KML, or a Parquet table of costs for the optimiser opentop.',
          ),
        }),
        response: { ...costResponses('The contrail grid.'), ...acceptedResponse },
      },
    },
    async (request, reply) => {
      const { flight_level, bbox, format, layout, aircraft_type, threshold, on_request, ...others } =
        request.query;
      const asked = hoursAsked(request.query);
      const options = {
        signal: request.clientAborted,
        onComputeMs: (ms: number) => {
          request.usage.computeSeconds += ms / 1000;
        },
      };
      if ('fromMs' in asked || format === 'opentop') {
        const treatment = treatmentOf(others, others.units ?? 'cost_per_nm');
        const kind = cocipKind({ type: aircraft_type });
        const what = `cocip grid of ${aircraft_type}`;
        const wanted = { ...(asked as OpentopHours), kind, what, flightLevels: flight_level, treatment };
        const file = await opentopFile(services, wanted, options);
        return sendFile(request, reply, file, opentopContent(aircraft_type, wanted.fromMs));
      }
      const { timeMs: time } = asked;
      const treatment = treatmentOf(others, others.units ?? 'ef_per_m');
      const { historical } = services;
      const custom = customOf(others, aircraft_type, historical.humidityScaling);
      if (custom !== undefined || on_request) {
        requireOneHour(treatment);
        const timeMs = wholeSecond(time);
        const wanted = customRequest(
          {
            timeMs,
            bbox,
            flightLevels: flight_level,
            aircraft: { type: aircraft_type },
            source: others.met_source,
            cellsPerDegree: historical.cellsPerDegree,
          },
          custom,
          historical.humidityScaling,
        );
        refuseSlow(wanted, services.compute.threads, historical.computeSeconds);
        const room = { compute: services.compute, met: await services.met.open() };
        const output = { format, layout, threshold, shape: polygonShape(others), treatment };
        const file = await gridFile(await makeCustomGrid(room, wanted, output, options));
        return sendGrid(request, reply, file, `cocip_${aircraft_type}`, timeMs, format);
      }
      const answer = await cocipGrid(
        services,
        {
          timeMs: time,
          flightLevels: flight_level,
          aircraftType: aircraft_type,
          bbox,
          format,
          layout,
          threshold,
          shape: polygonShape(others),
          treatment,
        },
        { keyId: request.key.id, url: request.url, wantsJob: wantsJob(request) },
        options,
      );
      return 'state' in answer
        ? sendAccepted(reply, answer)
        : sendGrid(request, reply, answer, `cocip_${aircraft_type}`, time, format);
    },
  );
}

/** A grid that is computed for a request alone has no hours around it. */
function requireOneHour({ neighbourhoodHours }: GridTreatment): void {
  if (neighbourhoodHours === 0) return;
  const msg =
    'neighbourhood_hours is for stored grids; leave it out, or leave out what makes this one its own';
  throw new ValidationError([{ loc: ['query', 'neighbourhood_hours'], msg, type: 'value_error' }]);
}

function serveGrids(
  app: App,
  services: CocipServices,
  classes: readonly [AircraftClass, ...AircraftClass[]],
): void {
  app.get(
    '/v1/grids',
    {
      config: { scope: 'forecast', problems: ['not-found'] },
      schema: {
        tags: ['forecast'],
        summary: 'Contrail forecast as a grid',
        description:
          'Forcing index from 0 (no warming) to 4 (highly warming) for one hour, on one flight level or all, from the newest weather run that has it.',
        querystring: query({
          ...forecastParameters(classes),
          ...treatmentParameters,
          ...opentopParameters,
          time: timeUnlessOpentop('The time of the forecast, rounded down to the hour.'),
          format: withOpentop(['netcdf'], 'netCDF-4, or a Parquet table of costs for the optimiser opentop.'),
          bbox: gridBox,
          units: gridUnits,
          layout,
        }),
        response: forecastGridResponses,
      },
    },
    async (request, reply) => {
      const { layout, format, bbox, ...given } = request.query;
      const options = {
        signal: request.clientAborted,
        onComputeMs: (ms: number) => {
          request.usage.computeSeconds += ms / 1000;
        },
      };
      const asked = hoursAsked(request.query);
      if ('fromMs' in asked || format === 'opentop') {
        const { units = 'cost_per_nm', aircraft_class: name, flight_level: level } = given;
        if (units === 'index') throw notIndex('format');
        const wanted = {
          ...(asked as OpentopHours),
          kind: cocipKind(aircraftOfClass(name)),
          what: `forecast of class ${name}`,
          flightLevels: level === undefined ? FLIGHT_LEVELS : [level],
          referenceTimeMs: given.forecast_reference_time,
          forecastsOnly: true,
          treatment: treatmentOf(given, units),
        };
        const file = await opentopFile(services, wanted, options);
        return sendFile(request, reply, file, opentopContent(name, wanted.fromMs));
      }
      const { units = 'index' } = given;
      const wanted = forecastQuery({ ...given, time: asked.timeMs });
      const treatment = treatmentOf(given, units === 'index' ? undefined : units);
      if (units === 'index' && (treatment.neighbourhoodKm > 0 || treatment.neighbourhoodHours > 0))
        throw notIndex(treatment.neighbourhoodKm > 0 ? 'neighbourhood_km' : 'neighbourhood_hours');
      const file = await forecastGrid(services, wanted, { units, layout, treatment, bbox }, options);
      const product = `${units === 'index' ? 'contrails' : units}_${fileWords(wanted)}`;
      return sendGrid(request, reply, file, product, wanted.timeMs, 'netcdf');
    },
  );
}

function notIndex(name: string): ValidationError {
  const msg = `${name} is not known for units index; give units=ef_per_m, co2e_kg_per_km or cost_per_nm`;
  return new ValidationError([{ loc: ['query', name], msg, type: 'value_error' }]);
}

const opentopContent = (product: string, fromMs: number) => ({
  contentType: OPENTOP_CONTENT,
  name: opentopName(product, fromMs),
});

function serveRegions(
  app: App,
  services: CocipServices,
  classes: readonly [AircraftClass, ...AircraftClass[]],
): void {
  app.get(
    '/v1/regions',
    {
      config: { scope: 'forecast', problems: ['not-found'] },
      schema: {
        tags: ['forecast'],
        summary: 'Contrail forecast as regions',
        description:
          'Polygons around the cells whose forcing index reaches a threshold, for one hour, on one flight level or all, from the newest weather run that has it.',
        querystring: query({
          ...forecastParameters(classes),
          threshold: regionThreshold,
          buffer: bufferParameter,
        }),
        response: regionsResponses,
      },
    },
    async (request, reply) => {
      const { threshold, buffer: bufferCells, ...given } = request.query;
      const wanted = forecastQuery(given);
      const signal = request.clientAborted;
      const file =
        bufferCells === 0
          ? await forecastRegions(services, wanted, threshold, signal)
          : await bufferedRegions(
              services,
              wanted,
              { threshold, bufferCells },
              {
                signal,
                onComputeMs: (ms) => {
                  request.usage.computeSeconds += ms / 1000;
                },
              },
            );
      return sendFile(request, reply, file, {
        contentType: 'application/geo+json',
        name: gridFileName(`regions_${fileWords(wanted)}`, wanted.timeMs, 'geojson'),
      });
    },
  );
}

function serveRuns(
  app: App,
  services: CocipServices,
  classes: readonly [AircraftClass, ...AircraftClass[]],
): void {
  app.get(
    '/v1/forecast/runs',
    {
      config: { scope: 'forecast' },
      schema: {
        tags: ['forecast'],
        summary: 'Available forecast runs and hours',
        description:
          'Weather runs with the state of every hour for each aircraft class: served, being computed or planned.',
        querystring: query(runsParameters(classes)),
        response: { 200: runsAnswer },
      },
    },
    async ({ query: { aircraft_class } }, reply) => {
      reply.header('cache-control', 'no-cache');
      const wanted = aircraft_class === undefined ? classes : [aircraft_class];
      return reply.send({ runs: await forecastRuns(services, wanted) });
    },
  );
}

function serveSkill(app: App, services: Pick<CocipServices, 'database'>): void {
  app.get(
    '/v1/forecast/skill',
    {
      config: { scope: 'forecast' },
      schema: {
        operationId: 'getForecastSkill',
        tags: ['forecast'],
        summary: 'Skill of the forecast',
        description:
          'Latest scheduled score of the forecast against observations: the share of observed contrails inside its regions (hit rate) and the share of all flying inside them (penalty), by region, season and buffer, with intervals. Workers compute it on the schedule `forecast.score`; `contrails forecast score` computes other scores.',
        response: { 200: skillAnswer },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-cache');
      return reply.send(await forecastSkill(services.database));
    },
  );
}

interface GivenForecast {
  readonly time: number;
  readonly flight_level: number | undefined;
  readonly aircraft_class: AircraftClass;
  readonly forecast_reference_time: number | undefined;
}

function forecastQuery(given: GivenForecast) {
  return {
    timeMs: Math.floor(given.time / HOUR_MS) * HOUR_MS,
    flightLevel: given.flight_level,
    aircraftClass: given.aircraft_class,
    referenceTimeMs: given.forecast_reference_time,
  };
}

function fileWords({ aircraftClass, flightLevel }: ReturnType<typeof forecastQuery>): string {
  return flightLevel === undefined ? aircraftClass : `${aircraftClass}_FL${flightLevel}`;
}
