/** What the endpoints of gridded products share: responses and their description. */

import type { GridBytes } from '@contrails/engine/grid/compute-grid';
import { GRID_CONTENT, type GridFormat, gridFileName } from '@contrails/engine/grid/file';
import { chunksFile } from '@contrails/platform/http/chunks-file';
import { type File, sendFile } from '@contrails/platform/http/files';
import { fileResponses, regionCollection } from '@contrails/platform/http/openapi-responses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** The bytes of a grid as a file to send. */
export async function gridFile({ chunks, warnings }: GridBytes): Promise<File> {
  return { ...(await chunksFile(chunks, Date.now())), warnings };
}

/** Answers with the file of a gridded product. */
export function sendGrid(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  product: string,
  timeMs: number,
  format: GridFormat,
): Promise<FastifyReply> {
  return sendFile(request, reply, file, {
    contentType: GRID_CONTENT[format].type,
    name: gridFileName(product, timeMs, format),
  });
}

/** A file in each of the formats. */
export function gridResponses(description: string, others: Parameters<typeof fileResponses>[1] = {}) {
  return fileResponses(`${description} Polygons have a feature for each flight level.`, {
    [GRID_CONTENT.netcdf.type]: { schema: Type.String({ format: 'binary' }) },
    [GRID_CONTENT.geojson.type]: { schema: regionCollection },
    [GRID_CONTENT.kml.type]: { schema: Type.String({ description: 'A KML 2.2 document.' }) },
    ...others,
  });
}
