/** L1 and L2 over HTTP: the stored files of a frame. */
import { l1FileName } from '@contrails/observations/frame';
import type { App } from '@contrails/platform/http/app';
import { sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses } from '@contrails/platform/http/openapi-responses';
import { ProblemError } from '@contrails/platform/http/problem';
import { isoSecond } from '@contrails/runtime';
import { choice } from '@contrails/runtime/options/choice';
import { optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import { type ObservationRules, SATELLITES, type Satellite } from '../config.ts';
import { l2Name } from '../frames/publish.ts';
import { type FrameManifest, findFrame, frameTime } from '../frames/table.ts';
import { frameNotFound } from './not-found.ts';
import { SEGMENT_LIST } from './schema.ts';

export type FrameRouteServices = Pick<Services, 'database' | 'store'>;

const NETCDF = 'application/x-netcdf';
const JSON_TYPE = 'application/json';
const PNG = 'image/png';

const parameters = {
  time: time('Time of the frame, rounded down to ten minutes. UTC if no zone is given.'),
  satellite: optional(choice(SATELLITES, 'The satellite; default: the one configured for the service.')),
};

const NOT_FOUND =
  'A 404 has the member `reason`: `outside_archive`, `not_received` (with `Retry-After` while the frame may still arrive), `in_processing` with `Retry-After`, `quarantined` for a frame that cannot be used, `removed` for one that is no longer kept.';

/** Where a level is served, and which satellite without a parameter. */
export interface ServedAt {
  readonly path: string;
  readonly satellite: Satellite | undefined;
  /** The address of the specification, whose operations have their own names. */
  readonly isMain?: boolean;
}

/** The addresses of the specification, and those of the configuration. */
export function servedPaths({ satellite, paths }: ObservationRules): ServedAt[] {
  return [{ path: 'provider-a/source-a', satellite, isMain: true }, ...paths];
}

export function serveDetections(
  app: App,
  services: FrameRouteServices,
  { path, satellite, isMain }: ServedAt,
): void {
  app.get(
    `/v1/observations/${path}/L1/detections`,
    {
      config: { scope: 'observations', problems: ['not-found'] },
      schema: {
        ...(isMain ? { operationId: 'getContrailDetections' } : {}),
        tags: ['observations'],
        summary: 'Contrail confidence of a satellite image, pixel by pixel',
        description: `The L1 file of one frame: netCDF-4 on the grid of the image, with \`contrail_confidence\`, \`quality_flag\` and the CF description of the projection. ${NOT_FOUND}`,
        querystring: query(parameters),
        response: fileResponses('The detections.', {
          [NETCDF]: { schema: Type.String({ format: 'binary' }) },
        }),
      },
    },
    async (request, reply) => {
      const asked = request.query.satellite ?? satellite;
      const { name, timeMs, manifest } = await requireFrame(services, asked, request.query.time, 'l1');
      const file = await storedFile(services.store, manifest.l1?.key ?? '');
      return sendFile(request, reply, file, {
        contentType: NETCDF,
        name: l1FileName({ satellite: name, time: timeMs }),
      });
    },
  );
}

export function serveSegments(
  app: App,
  services: FrameRouteServices,
  { path, satellite, isMain }: ServedAt,
): void {
  app.get(
    `/v1/observations/${path}/L2/segments`,
    {
      config: { scope: 'observations', problems: ['not-found'] },
      schema: {
        ...(isMain ? { operationId: 'getContrailSegments' } : {}),
        tags: ['observations'],
        summary: 'Line segments of a satellite image',
        description: `The L2 list of one frame, in descending order of confidence times length. Positions are apparent, in metres of the satellite's own coordinate reference system (\`crs\`); no claim is made that a line is one flight. A frame without lines is an empty list. ${NOT_FOUND}`,
        querystring: query(parameters),
        response: fileResponses('The segments.', { [JSON_TYPE]: { schema: SEGMENT_LIST } }),
      },
    },
    async (request, reply) => {
      const asked = request.query.satellite ?? satellite;
      const { name, timeMs, manifest } = await requireFrame(services, asked, request.query.time, 'l2');
      const file = await storedFile(services.store, manifest.l2?.key ?? '');
      return sendFile(request, reply, file, { contentType: JSON_TYPE, name: l2Name(name, timeMs) });
    },
  );
}

export function servePictures(
  app: App,
  services: FrameRouteServices,
  { satellite }: Pick<ObservationRules, 'satellite'>,
): void {
  app.get(
    '/v1/observations/picture',
    {
      config: { scope: 'observations', problems: ['not-found'] },
      schema: {
        tags: ['observations'],
        summary: 'Infrared picture of a frame for maps',
        description: `The ash colour composite of one frame as PNG, in which thin ice cloud is dark blue: red is the difference of the 12 and 11 µm bands, green that of the 11 and 8.5 µm bands, blue the 11 µm band. Where a satellite has no 8.5 µm band, cold is white. The picture is in the Mercator projection of web maps; \`/v1/observations/frames\` lists its bounds. Pixels off the image are transparent. ${NOT_FOUND}`,
        querystring: query(parameters),
        response: fileResponses('The picture.', { [PNG]: { schema: Type.String({ format: 'binary' }) } }),
      },
    },
    async (request, reply) => {
      const asked = request.query.satellite ?? satellite;
      const { name, timeMs, manifest } = await requireFrame(services, asked, request.query.time, 'picture');
      const file = await storedFile(services.store, manifest.picture?.key ?? '');
      const clock = isoSecond(timeMs).slice(0, 16).replaceAll(/[-:]/g, '');
      return sendFile(request, reply, file, { contentType: PNG, name: `${name}_${clock}Z.png` });
    },
  );
}

async function requireFrame(
  { database }: FrameRouteServices,
  satellite: Satellite | undefined,
  askedMs: number,
  level: 'l1' | 'l2' | 'picture',
): Promise<{ readonly name: Satellite; readonly timeMs: number; readonly manifest: FrameManifest }> {
  if (satellite === undefined) {
    throw new ProblemError(
      'not-found',
      'no satellite is configured; give satellite=, or configure observations.sources',
      { members: { reason: 'outside_archive' } },
    );
  }
  const timeMs = frameTime(askedMs);
  const record = await findFrame(database, satellite, timeMs);
  const manifest = record?.manifest;
  if (manifest?.[level] == null) throw await frameNotFound(database, satellite, timeMs, record, Date.now());
  return { name: satellite, timeMs, manifest };
}
