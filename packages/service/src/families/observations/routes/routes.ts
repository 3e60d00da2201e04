import type { Exclusions } from '@contrails/engine/inventory/leg-record';
import type { App, Routes } from '@contrails/platform/http/app';
import { ProblemError } from '@contrails/platform/http/problem';
import { isoDate } from '@contrails/runtime';
import { NotFoundError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { time } from '@contrails/runtime/options/time';
import type { Services } from '../../../services.ts';
import { type ObservationRules, SATELLITES } from '../config.ts';
import { verifyDate } from '../verification.ts';
import { serveAttributions } from './attributions.ts';
import { serveFlightList } from './flight-list.ts';
import { serveFrameList } from './frame-list.ts';
import { serveDetections, servedPaths, servePictures, serveSegments } from './frames.ts';
import { VERIFICATION } from './schema.ts';

type RouteServices = Pick<Services, 'database' | 'store' | 'jobs'>;

export function observationRoutes(
  services: RouteServices,
  rules: ObservationRules,
  exclusions: Exclusions,
): Routes {
  return (app) => {
    for (const served of servedPaths(rules)) {
      serveDetections(app, services, served);
      serveSegments(app, services, served);
    }
    serveFrameList(app, services, rules);
    servePictures(app, services, rules);
    serveAttributions(app, services, rules, exclusions);
    serveFlightList(app, services, exclusions);
    serveVerification(app, services, rules);
  };
}

function serveVerification(app: App, services: RouteServices, rules: ObservationRules): void {
  app.get(
    '/v1/observations/verification',
    {
      config: { scope: 'observations', problems: ['not-found'] },
      schema: {
        tags: ['observations'],
        summary: 'Verification of the inventory against satellite detections',
        description:
          'Length of the contrails that a satellite shows and of those that should be visible according to the inventory of the day, by hour and region; hit rate and false-alarm ratio with their definitions. A 404 has the member `reason`: `no_frames` or `no_inventory`.',
        querystring: query({
          date: time('The day; the time of day is ignored.'),
          satellite: optional(
            choice(SATELLITES, 'The satellite; default: the one configured for the service.'),
          ),
        }),
        response: { 200: VERIFICATION },
      },
    },
    async (request) => {
      const satellite = request.query.satellite ?? rules.satellite;
      const date = isoDate(request.query.date);
      if (satellite === undefined) {
        throw new ProblemError(
          'not-found',
          'no satellite is configured; give satellite=, or configure observations.sources',
          { members: { reason: 'no_frames' } },
        );
      }
      try {
        return await verifyDate(services, satellite, date, request.clientAborted);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        throw new ProblemError('not-found', error.message, { members: { reason: error.facts.reason } });
      }
    },
  );
}
