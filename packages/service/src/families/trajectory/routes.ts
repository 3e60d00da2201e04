import { computeTrajectories, type TrajectoryServices } from '@contrails/engine/flights/compute';
import { TRAJECTORY_MODELS, type TrajectoryModel } from '@contrails/engine/flights/models';
import {
  defaultScaling,
  optionsOf,
  type TrajectoryOptions,
  type TrajectoryQuery,
  trajectoryParameters,
} from '@contrails/engine/flights/options';
import { planWeather } from '@contrails/engine/flights/plan-weather';
import {
  prepareRequest,
  type TrajectoryRequest,
  withUnitWarnings,
} from '@contrails/engine/flights/prepare-request';
import type { TrajectoryBody } from '@contrails/engine/flights/read-body';
import { withParameters } from '@contrails/engine/flights/read-parameters';
import type { App, Routes } from '@contrails/platform/http/app';
import { sendLargeJson } from '@contrails/platform/http/json';
import { acceptedResponse } from '@contrails/platform/http/openapi-responses';
import { sendAccepted, wantsJob } from '@contrails/platform/http/respond-async';
import { sendWarnings, WARNINGS_HEADER } from '@contrails/platform/http/warnings';
import { ValidationError } from '@contrails/runtime/errors';
import { query } from '@contrails/runtime/options/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CoreConfig } from '../../config/core.ts';
import { acceptFlightFiles, FILE_PARAMETERS, sendFileNotes } from '../../endpoints/flight-files.ts';
import { type EnqueueServices, enqueueTrajectory } from './job.ts';
import { trajectoryBody, trajectoryResponse } from './schema.ts';
import { answerAsTable, preferredFormat, type TableFormat } from './tables.ts';

export type TrajectoryRoutesServices = TrajectoryServices & EnqueueServices;

/** What the models run with. */
type ModelConfig = Pick<CoreConfig, 'met' | 'accf'>;

/** The models along flights, one flight or a fleet at a time. */
export function trajectoryRoutes(services: TrajectoryRoutesServices, config: ModelConfig): Routes {
  return (app) => {
    acceptFlightFiles(app, { resamples: true });
    for (const model of TRAJECTORY_MODELS) serveModel(app, services, config, model);
  };
}

const SUMMARIES: Readonly<Record<TrajectoryModel, readonly [summary: string, description: string]>> = {
  sac: ['Where a flight forms contrails', 'The Schmidt–Appleman criterion at every waypoint.'],
  issr: ['Where a flight is in ice-supersaturated air', 'Whether relative humidity over ice exceeds 100 %.'],
  emissions: [
    'NOx and particles of a flight',
    'Emission indices at every waypoint, from the performance of the aircraft and the ICAO emissions databank.',
  ],
  cocip: [
    'Contrails of a flight and their energy forcing',
    'The contrail cirrus prediction model: simulates each contrail from formation to dissipation.',
  ],
  accf: [
    'Climate change functions along a flight',
    'Temperature response of NOx, water vapour, contrails and CO2 according to algorithmic climate change functions. `aCCF_merged` includes contrails of these functions and must not be added to the energy forcing of cocip.',
  ],
};

const SHARED_DESCRIPTION =
  'The body is a flight or a fleet as JSON, or a flight file in any known format. With `Prefer: respond-async` the response is 202 with the `Location` of a job. Closing the connection cancels the work. ' +
  `Warnings about the results, such as segments too long to be followed, are a JSON list in the header \`${WARNINGS_HEADER}\`, and in \`warnings\` of a response with \`include\` or \`resample\`.`;

function serveModel(
  app: App,
  services: TrajectoryRoutesServices,
  { met, accf }: ModelConfig,
  model: TrajectoryModel,
): void {
  const [summary, description] = SUMMARIES[model];
  app.post(
    `/v0/trajectory/${model}`,
    {
      config: { scope: 'research' },
      schema: {
        tags: ['trajectory'],
        summary,
        description: `${description} ${SHARED_DESCRIPTION}`,
        body: trajectoryBody(model),
        querystring: query({ ...trajectoryParameters(model), ...FILE_PARAMETERS }),
        response: { 200: trajectoryResponse(model), ...acceptedResponse },
      },
    },
    async (request, reply) => {
      const { fleet, parameters } = request.body as TrajectoryBody;
      sendFileNotes(request, reply);
      const format = preferredFormat(request.headers.accept);
      const asked = withParameters(
        optionsOf(request.query as TrajectoryQuery, defaultScaling(model, met.humidity_scaling), accf),
        parameters,
      );
      const options = forFormat(asked, format);
      const { compute } = services;
      const wanted = await prepareRequest(model, fleet, options, compute, request.clientAborted);
      return wantsJob(request)
        ? answerJob(services, wanted, format, request, reply)
        : format === 'json'
          ? answerNow(services, wanted, request, reply)
          : answerTable(services, wanted, format, request, reply);
    },
  );
}

async function answerNow(
  services: TrajectoryRoutesServices,
  wanted: TrajectoryRequest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { answer, warnings } = await computeTrajectories(services, wanted, hooksOf(request));
  sendWarnings(reply, warnings);
  return sendLargeJson(reply, answer);
}

/** netCDF has the contrails as rows too; a table of them needs a format that has tables. */
function forFormat(options: TrajectoryOptions, format: TableFormat | 'json'): TrajectoryOptions {
  if (format === 'json' && options.contrailRows === undefined) return options;
  if (format === 'json') {
    const msg =
      'table=contrail is not served as JSON; send "Accept: application/vnd.apache.parquet" or "Accept: application/netcdf", or ask for include=contrail';
    throw new ValidationError([{ loc: ['query', 'table'], msg, type: 'value_error' }]);
  }
  const isBoth = format === 'netcdf' && options.includes.includes('contrail');
  return isBoth ? { ...options, contrailRows: true } : options;
}

async function answerTable(
  services: TrajectoryRoutesServices,
  wanted: TrajectoryRequest,
  format: TableFormat,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { bytes, warnings, content } = await answerAsTable(services, wanted, format, hooksOf(request));
  sendWarnings(reply, warnings);
  return reply
    .headers({
      'content-type': content.contentType,
      'content-disposition': `attachment; filename="${content.name}"`,
    })
    .send(bytes);
}

const hooksOf = (request: FastifyRequest) => ({
  signal: request.clientAborted,
  onComputeMs: (ms: number) => {
    request.usage.computeSeconds += ms / 1000;
  },
});

async function answerJob(
  services: TrajectoryRoutesServices,
  wanted: TrajectoryRequest,
  format: TableFormat | 'json',
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // What no weather covers is known at once.
  await planWeather(await services.met.open(), wanted.model, wanted.fleet, wanted.options).catch((error) => {
    throw withUnitWarnings(error, wanted);
  });
  const id = await enqueueTrajectory(
    services,
    wanted,
    request.key.id,
    format === 'json' ? undefined : format,
  );
  return sendAccepted(reply, { id, state: 'queued' });
}
