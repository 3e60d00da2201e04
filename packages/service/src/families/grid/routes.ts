import { airRange, type TimeRange } from '@contrails/engine/grid/availability';
import { accfRequest } from '@contrails/engine/grid/compute-accf';
import { GRID_CONTENT, wholeSecond } from '@contrails/engine/grid/file';
import { BINARY_MODELS, type BinaryModel, usesEngine } from '@contrails/engine/grid/models';
import {
  accfParameters,
  airParameters,
  contrailWeatherParameters,
  engineParameters,
  weatherParameters,
} from '@contrails/engine/grid/parameters';
import { type BinaryQuery, binaryRequest } from '@contrails/engine/grid/request';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import type { App, Routes } from '@contrails/platform/http/app';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { isoSecond } from '@contrails/runtime';
import { query } from '@contrails/runtime/options/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { gridResponses, sendGrid } from '../../endpoints/grids.ts';
import { type GridServices, obtainAccf, obtainContrailWeather, obtainGrid, obtainWeather } from './obtain.ts';
import { availabilityAnswer } from './schema.ts';

export interface GridRoutesOptions {
  readonly defaultScaling: HumidityScalingChoice;
  /** Hours of the precomputed cocip grid that are all there. */
  readonly cocipRange: () => Promise<TimeRange | undefined>;
  /** Hours whose contrail grid is computed when it is asked for. */
  readonly reanalysisRange: () => Promise<TimeRange | undefined>;
}

/** Grids of flags and of the weather, computed when they are asked for, and which times are served. */
export function gridRoutes(services: GridServices, options: GridRoutesOptions): Routes {
  return (app) => {
    for (const model of BINARY_MODELS) serveModel(app, services, model, options.defaultScaling);
    serveAccf(app, services);
    serveWeather(app, services, options.defaultScaling);
    serveContrailWeather(app, services);
    serveAvailability(app, services, options);
  };
}

const SUMMARIES: Readonly<Record<BinaryModel, readonly [summary: string, meaning: string]>> = {
  sac: ['Where contrails form', 'Schmidt-Appleman criterion: 1 where an aircraft leaves a contrail'],
  issr: ['Where air is supersaturated over ice', '1 in ice-supersaturated regions'],
  pcr: ['Where contrails form and persist', '1 where sac and issr are both 1'],
};

function serveModel(
  app: App,
  services: GridServices,
  model: BinaryModel,
  defaultScaling: HumidityScalingChoice,
): void {
  const [summary, meaning] = SUMMARIES[model];
  const schema = {
    tags: ['grid'],
    summary,
    description: `${meaning}, 0 elsewhere, missing where the weather is unknown. One time, cells of 0.25 degrees on flight levels 270 to 440, as netCDF-4 or as polygons.`,
    response: gridResponses(`The grid of ${model}.`),
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply, given: BinaryQuery) => {
    const wanted = binaryRequest(model, given, defaultScaling);
    const file = await obtainGrid(services, wanted, {
      signal: request.clientAborted,
      onComputeMs: (ms) => {
        request.usage.computeSeconds += ms / 1000;
      },
    });
    return sendGrid(request, reply, file, model, wanted.timeMs, wanted.format);
  };
  const config = { scope: 'research' } as const;
  const url = `/v0/grid/${model}`;
  if (usesEngine(model)) {
    app.get(url, { config, schema: { ...schema, querystring: query(engineParameters) } }, (request, reply) =>
      answer(request, reply, request.query),
    );
  } else {
    app.get(url, { config, schema: { ...schema, querystring: query(airParameters) } }, (request, reply) =>
      answer(request, reply, request.query),
    );
  }
}

function serveAccf(app: App, services: GridServices): void {
  app.get(
    '/v0/grid/accf',
    {
      config: { scope: 'research' },
      schema: {
        tags: ['grid'],
        summary: 'Climate change functions of NOx, water vapour, contrails and CO2',
        description:
          'Temperature response of emissions at one time, on cells of 0.25 degrees and flight levels 270 to 440, as netCDF-4, or as polygons around the cells whose merged response reaches `threshold`. `aCCF_merged` includes contrails of these functions: never add it to the energy forcing of cocip. Missing where the weather is unknown.',
        querystring: query(accfParameters),
        response: gridResponses('The climate change functions.'),
      },
    },
    async (request, reply) => {
      const wanted = accfRequest(request.query);
      const file = await obtainAccf(services, wanted, {
        signal: request.clientAborted,
        onComputeMs: (ms) => {
          request.usage.computeSeconds += ms / 1000;
        },
      });
      return sendGrid(request, reply, file, 'accf', wanted.timeMs, wanted.format);
    },
  );
}

function serveWeather(app: App, services: GridServices, defaultScaling: HumidityScalingChoice): void {
  app.get(
    '/v0/grid/weather',
    {
      config: { scope: 'research' },
      schema: {
        tags: ['grid'],
        summary: 'Weather used by the models',
        description:
          'Air temperature, wind and relative humidity over ice (after humidity scaling) at one time, on cells of one degree and flight levels 270 to 440, as netCDF-4. Missing where the weather is unknown.',
        querystring: query(weatherParameters),
        response: fileResponses('The weather.', {
          [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
        }),
      },
    },
    async (request, reply) => {
      const file = await obtainWeather(services, request.query, defaultScaling, {
        signal: request.clientAborted,
        onComputeMs: (ms) => {
          request.usage.computeSeconds += ms / 1000;
        },
      });
      return sendGrid(request, reply, file, 'weather', wholeSecond(request.query.time), 'netcdf');
    },
  );
}

function serveContrailWeather(app: App, services: GridServices): void {
  app.get(
    '/v0/grid/weather/contrails',
    {
      config: { scope: 'research' },
      schema: {
        tags: ['grid'],
        summary: 'Weather for contrail simulations of a region',
        description:
          'Input of the contrail model, for programs that simulate contrails themselves: temperature, wind, specific humidity before humidity scaling, vertical velocity and cirrus on flight levels, and radiation, for `hours` from `time`. Meridians, parallels, levels and times are those of the weather source, so nothing is lost by interpolation; the source and run are those that `/v0/grid/cocip` would use. As netCDF-4, up to 64 MiB before compression.',
        querystring: query(contrailWeatherParameters),
        response: fileResponses('The weather.', {
          [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
        }),
      },
    },
    async (request, reply) => {
      const { time, hours, bbox, met_source } = request.query;
      const wanted = { timeMs: wholeSecond(time), hours, box: bbox, source: met_source };
      const file = await obtainContrailWeather(services, wanted, {
        signal: request.clientAborted,
        onComputeMs: (ms) => {
          request.usage.computeSeconds += ms / 1000;
        },
      });
      return sendGrid(request, reply, file, 'contrail_weather', wanted.timeMs, 'netcdf');
    },
  );
}

function serveAvailability(
  app: App,
  { met }: GridServices,
  { cocipRange, reanalysisRange }: GridRoutesOptions,
): void {
  app.get(
    '/v0/grid/availability',
    {
      config: {
        scope: 'research',
        // `cocip` is empty until the first hours are stored, so it cannot be linked.
        links: { air: { operationId: 'getGridIssr', parameters: { time: '$response.body#/issr/1' } } },
      },
      schema: {
        tags: ['grid'],
        summary: 'Available times',
        description:
          'First and last time of each grid, according to what the weather sources and the store contain now.',
        response: { 200: availabilityAnswer },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-cache');
      const [air, cocip, onRequest] = await Promise.all([
        met.open().then(airRange),
        cocipRange(),
        reanalysisRange(),
      ]);
      const shown = (range: TimeRange | undefined) => range?.map(isoSecond) ?? [];
      return {
        cocip: shown(cocip),
        cocip_on_request: shown(onRequest),
        issr: shown(air),
        pcr: shown(air),
        sac: shown(air),
      };
    },
  );
}
