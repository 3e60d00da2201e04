/** The endpoints of live contrails. */
import type { Readable } from 'node:stream';
import { outputColumns } from '@contrails/engine/flights/models';
import { bbox } from '@contrails/engine/grid/bbox';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import type { LiveServices } from '@contrails/engine/live/run-legs';
import type { App, Routes } from '@contrails/platform/http/app';
import { select } from '@contrails/platform/http/conditional';
import { ProblemError } from '@contrails/platform/http/problem';
import { isoSecond, MINUTE_MS } from '@contrails/runtime';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { path, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { time } from '@contrails/runtime/options/time';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Services } from '../../services.ts';
import { type BoardLog, type LiveBoard, openBoard } from './board.ts';
import { isInBox } from './boxes.ts';
import { type LiveConfig, liveRules } from './config.ts';
import { liveProblems } from './problems.ts';
import { type PublishedSky, readMinute } from './published.ts';
import { contrailCollection, flightCollection, flightDetail, liveSummary, skyAt } from './schema.ts';
import { TOPICS } from './stream.ts';

type RouteServices = Pick<Services, 'database' | 'store' | 'compute' | 'met'>;

const GEOJSON = 'application/geo+json';
const MAX_FLIGHTS = 20_000;
const box = optional(
  bbox(
    'Only items within min_lon,min_lat,max_lon,max_lat [degrees]; min_lon > max_lon crosses the antimeridian.',
  ),
);
const config = { scope: 'live', problems: ['live-disabled'] } as const;
const configOfOne = { scope: 'live', problems: ['not-found'] } as const;
const tags = ['live'];
const notModified = { 304: { description: 'The cycle you have is current.', type: 'null' } } as const;

export function liveRoutes(services: RouteServices, settings: LiveConfig, log: BoardLog): Routes {
  return async (app) => {
    const opened = liveRules(settings).isEnabled ? await openBoard(services, settings, log) : undefined;
    app.addHook('preClose', async () => {
      opened?.board.hub.close();
      await opened?.release();
    });
    const known = () => requireSky(opened?.board);
    serveFlights(app, known);
    serveContrails(app, known);
    serveFlight(app, services, known);
    serveSummary(app, known);
    serveStream(app, known);
    serveAt(app, services, known);
  };
}

interface Known {
  readonly board: LiveBoard;
  readonly sky: PublishedSky;
}

const RETRY_S = 5;

function requireSky(board: LiveBoard | undefined): Known {
  if (board === undefined) {
    throw new ProblemError(
      { name: 'live-disabled', ...liveProblems['live-disabled'] },
      'live.enabled is false; set it to true and configure a feed in telemetry.sources',
    );
  }
  if (board.sky === undefined) {
    throw new ProblemError('unavailable', 'the first cycle is being computed; try again shortly', {
      headers: { 'retry-after': String(RETRY_S) },
    });
  }
  return { board, sky: board.sky };
}

/** Answers with JSON that belongs to a cycle, or that the client has it. */
async function sendOfCycle(
  request: FastifyRequest,
  reply: FastifyReply,
  { cycle, timeMs }: PublishedSky,
  type: string,
  make: () => unknown,
): Promise<FastifyReply> {
  const etag = `"${cycle}"`;
  reply.header('etag', etag);
  const { status } = select(request.method, request.headers, { etag, modifiedMs: timeMs, size: 0 });
  if (status === 304) return reply.code(304).send();
  return sendText(reply, type, JSON.stringify(make()));
}

/** Whose shape the schema describes, but does not check: features are made once and may be many. */
async function sendText(
  reply: FastifyReply,
  type: string,
  payload: string | Readable,
): Promise<FastifyReply> {
  return reply.type(type).header('cache-control', 'no-cache').send(payload);
}

function collection(features: readonly (FlightFeature | ContrailFeature)[]) {
  return { type: 'FeatureCollection', features };
}

function serveFlights(app: App, known: () => Known): void {
  app.get(
    '/v1/live/flights',
    {
      config,
      schema: {
        tags,
        summary: 'Aircraft as points',
        description:
          'All aircraft reported in the last 30 minutes, as of the newest cycle, as GeoJSON. `/v1/live/stream` sends positions as they arrive.',
        querystring: query({
          bbox: box,
          callsign: optional(text({ maxLength: 8, description: 'Only callsigns with this prefix.' })),
          min_altitude_ft: optional(
            number({
              minimum: -2000,
              maximum: 70_000,
              description: 'Only aircraft at or above this altitude.',
            }),
          ),
          limit: byDefault(
            number({
              integer: true,
              minimum: 1,
              maximum: MAX_FLIGHTS,
              description: 'Maximum number of aircraft.',
            }),
            MAX_FLIGHTS,
          ),
        }),
        response: {
          200: { description: 'Aircraft.', content: { [GEOJSON]: { schema: flightCollection } } },
          ...notModified,
        },
      },
    },
    async (request, reply) => {
      const { sky } = known();
      const { bbox: area, callsign, min_altitude_ft: minFt, limit } = request.query;
      const prefix = callsign?.toUpperCase() ?? '';
      return sendOfCycle(request, reply, sky, GEOJSON, () =>
        collection(
          sky.flights
            .filter((feature) => {
              const { properties } = feature;
              return (
                isInBox(feature, area) &&
                (properties.callsign ?? '').startsWith(prefix) &&
                (minFt === undefined || (properties.altitude_ft ?? Number.NEGATIVE_INFINITY) >= minFt)
              );
            })
            .slice(0, limit),
        ),
      );
    },
  );
}

function serveContrails(app: App, known: () => Known): void {
  app.get(
    '/v1/live/contrails',
    {
      config,
      schema: {
        tags,
        summary: 'Current contrails as lines',
        description:
          'Contrails where the wind has carried them, as of the newest cycle, as GeoJSON: one line for each run of consecutive waypoints of a flight.',
        querystring: query({
          bbox: box,
          min_age: optional(
            number({ minimum: 0, maximum: 86_400, description: 'Minimum age of the contrails, in seconds.' }),
          ),
          warming: optional(boolean('`true`: only contrails that warm now; `false`: only those that cool.')),
        }),
        response: {
          200: { description: 'Contrails.', content: { [GEOJSON]: { schema: contrailCollection } } },
          ...notModified,
        },
      },
    },
    async (request, reply) => {
      const { sky } = known();
      const { bbox: area, min_age: minAgeS, warming } = request.query;
      return sendOfCycle(request, reply, sky, GEOJSON, () =>
        collection(
          sky.contrails.filter((feature) => {
            const { age_max_s, net_forcing_w_per_m2: forcing } = feature.properties;
            return (
              isInBox(feature, area) &&
              (minAgeS === undefined || age_max_s >= minAgeS) &&
              (warming === undefined || forcing > 0 === warming)
            );
          }),
        ),
      );
    },
  );
}

function serveFlight(app: App, services: LiveServices, known: () => Known): void {
  app.get(
    '/v1/live/flights/:id',
    {
      config: configOfOne,
      schema: {
        tags,
        operationId: 'getLiveFlight',
        summary: 'One flight',
        description:
          'The flight with its minutes, their results from `POST /v0/trajectory/cocip`, its current contrails and the next half hour.',
        params: path({ id: text({ maxLength: 64, description: 'Id of the flight.' }) }),
        response: { 200: flightDetail },
      },
    },
    async (request, reply) => {
      const { board, sky } = known();
      const { id } = request.params;
      const feature = sky.flights.find((one) => one.id === id);
      const run = sky.run
        ? { source: sky.run.source, referenceTime: sky.run.referenceTime ?? undefined }
        : undefined;
      const found =
        feature &&
        (await board.state.flight(
          services,
          { icaoAddress: feature.properties.icao_address, flightId: id },
          run,
          Date.now(),
          { signal: request.clientAborted },
        ));
      if (found === undefined) {
        throw new ProblemError(
          'not-found',
          `no aircraft in the sky has the flight id ${id}; see /v1/live/flights`,
        );
      }
      const { minutes, columns } = found;
      const numbers = (column: Float64Array | undefined) =>
        Array.from(column ?? [], (value) => (Number.isNaN(value) ? null : value));
      const named = outputColumns('cocip', []).map((name) => [name, numbers(columns?.[name])]);
      const answer = {
        flight: found.feature,
        time: Array.from(minutes?.timeMs ?? [], isoSecond),
        longitude: numbers(minutes?.longitude),
        latitude: numbers(minutes?.latitude),
        altitude: numbers(minutes?.altitudeFt),
        columns: Object.fromEntries(named),
        contrails: collection(found.contrails),
      };
      return sendText(reply, 'application/json', JSON.stringify(answer));
    },
  );
}

function serveSummary(app: App, known: () => Known): void {
  app.get(
    '/v1/live/summary',
    {
      config,
      schema: {
        tags,
        summary: 'Summary of the current sky',
        description: 'Counts of aircraft and contrails, and the current climate effect of the contrails.',
        response: { 200: liveSummary, ...notModified },
      },
    },
    async (request, reply) => {
      const { sky } = known();
      return sendOfCycle(request, reply, sky, 'application/json', () => ({
        ...sky.summary,
        cycle: sky.cycle,
        cycle_age_s: Math.max(0, Math.round((Date.now() - sky.timeMs) / 1000)),
      }));
    },
  );
}

function serveStream(app: App, known: () => Known): void {
  app.get(
    '/v1/live/stream',
    {
      config,
      schema: {
        tags,
        summary: 'Stream of live updates',
        description:
          'Server-Sent Events: `snapshot` (everything in the box; large ones continue in `update`s), `update` (features that changed), `remove` (ids) and `summary`. Positions are sent as they are ingested, contrails once per cycle. `Last-Event-ID` resumes within five minutes. A client that reads slowly gets the newest state instead of a backlog.',
        querystring: query({
          bbox: box,
          topics: byDefault(
            list(choice(TOPICS), { maxItems: TOPICS.length, description: 'Types of events to send.' }),
            [...TOPICS],
          ),
        }),
        response: {
          200: {
            description: 'Events.',
            content: {
              'text/event-stream': { schema: Type.String({ description: 'Endless stream of events.' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { board } = known();
      const { bbox: area, topics } = request.query;
      const stream: Readable | undefined = board.hub.connect({
        box: area,
        topics: new Set(topics),
        lastEventId: lastEventIdOf(request),
      });
      if (stream === undefined) {
        throw new ProblemError(
          'unavailable',
          `${board.rules.maxClients} clients follow the sky already (live.max_clients); try again later`,
          { headers: { 'retry-after': '30' } },
        );
      }
      request.exchange.becomeStream();
      reply.raw.once('close', () => stream.destroy());
      reply.header('x-accel-buffering', 'no');
      return sendText(reply, 'text/event-stream', stream);
    },
  );
}

function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id'];
  return typeof given === 'string' ? given : undefined;
}

function serveAt(app: App, { store }: RouteServices, known: () => Known): void {
  app.get(
    '/v1/live/at',
    {
      config: configOfOne,
      schema: {
        tags,
        summary: 'Sky at a past minute',
        description: 'Flights and contrails at a minute within `live.hours`, for playback.',
        querystring: query({
          time: time('The minute; seconds are ignored.'),
          bbox: box,
        }),
        response: { 200: skyAt },
      },
    },
    async (request, reply) => {
      const { board, sky } = known();
      const { time: wantedMs, bbox: area } = request.query;
      const timeMs = Math.floor(wantedMs / MINUTE_MS) * MINUTE_MS;
      const oldestMs = sky.timeMs - board.rules.windowMs;
      const found = timeMs < oldestMs ? undefined : await readMinute(store, timeMs);
      if (found === undefined) {
        throw new ProblemError(
          'not-found',
          `there is no sky of ${isoSecond(timeMs)}; minutes from ${isoSecond(oldestMs)} to ${isoSecond(sky.timeMs)} are kept as they are computed`,
        );
      }
      const inArea = (features: readonly (FlightFeature | ContrailFeature)[]) =>
        collection(features.filter((feature) => isInBox(feature, area)));
      const answer = {
        time: isoSecond(timeMs),
        flights: inArea(found.flights),
        contrails: inArea(found.contrails),
      };
      return sendText(reply, 'application/json', JSON.stringify(answer));
    },
  );
}
