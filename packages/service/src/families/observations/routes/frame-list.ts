/** Which frames there are, so clients need not probe for them. */

import type { App } from '@contrails/platform/http/app';
import { DAY_MS, isoSecond } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { type ObservationRules, SATELLITES } from '../config.ts';
import { FRAME_STATES, listFrames } from '../frames/table.ts';
import type { FrameRouteServices } from './frames.ts';

const MAX_DAYS = 10;

const FRAME_LIST = Type.Object(
  {
    satellite: Type.Union([Type.String(), Type.Null()], {
      description: 'Null if none is requested and none is configured.',
    }),
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    frames: Type.Array(
      Type.Object({
        time: Type.String({ format: 'date-time', description: 'Nominal time, as accepted by `time`.' }),
        state: Type.Unsafe<(typeof FRAME_STATES)[number]>({
          type: 'string',
          enum: [...FRAME_STATES],
          description: 'State of the newest edition; an earlier one may be served.',
        }),
        reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is quarantined.' }),
        is_synthetic: Type.Union([Type.Boolean(), Type.Null()], {
          description: 'True for synthetic images; null until something is served.',
        }),
        levels: Type.Array(Type.Unsafe<'L1' | 'L2'>({ type: 'string', enum: ['L1', 'L2'] }), {
          description: 'Products served for the frame.',
        }),
        segments: Type.Union([Type.Integer(), Type.Null()]),
        segment_length_m: Type.Union([Type.Number(), Type.Null()]),
        picture: Type.Union(
          [
            Type.Object({
              bbox: Type.Array(Type.Number(), {
                minItems: 4,
                maxItems: 4,
                description: 'West, south, east, north.',
              }),
            }),
            Type.Null(),
          ],
          { description: 'The infrared composite, which `/v1/observations/picture` returns.' },
        ),
      }),
    ),
  },
  { title: 'FrameList', description: 'Frames of a satellite in chronological order.' },
);

export function serveFrameList(app: App, { database }: FrameRouteServices, rules: ObservationRules): void {
  app.get(
    '/v1/observations/frames',
    {
      config: { scope: 'observations' },
      schema: {
        tags: ['observations'],
        summary: 'Available frames',
        description: `Frames from \`from\` to before \`to\`, at most ${MAX_DAYS} days, with their state and the products served for them.`,
        querystring: query({
          from: optional(time('Default: a day before `to`.')),
          to: optional(time('Default: now.')),
          satellite: optional(
            choice(SATELLITES, 'The satellite; default: the one configured for the service.'),
          ),
        }),
        response: { 200: FRAME_LIST },
      },
    },
    async (request) => {
      const toMs = request.query.to ?? Date.now();
      const fromMs = request.query.from ?? toMs - DAY_MS;
      if (!(fromMs < toMs) || toMs - fromMs > MAX_DAYS * DAY_MS) {
        throw new ValidationError([
          {
            loc: ['query', 'from'],
            msg: `from ${isoSecond(fromMs)} to ${isoSecond(toMs)} is not a range of up to ${MAX_DAYS} days; choose an earlier or later start`,
            type: 'range',
          },
        ]);
      }
      const satellite = request.query.satellite ?? rules.satellite;
      const frames = satellite === undefined ? [] : await listFrames(database, satellite, fromMs, toMs);
      return {
        satellite: satellite ?? null,
        from: isoSecond(fromMs),
        to: isoSecond(toMs),
        frames: frames.map(({ timeMs, state, reason, manifest }) => ({
          time: isoSecond(timeMs),
          state,
          reason,
          is_synthetic: manifest?.is_synthetic ?? null,
          levels: [
            ...(manifest?.l1 == null ? [] : ['L1' as const]),
            ...(manifest?.l2 == null ? [] : ['L2' as const]),
          ],
          segments: manifest?.l2?.segments ?? null,
          segment_length_m: manifest?.l2?.length_m ?? null,
          picture: manifest?.picture == null ? null : { bbox: [...manifest.picture.bounds] },
        })),
      };
    },
  );
}
