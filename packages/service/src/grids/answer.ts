import type { FastifyReply, FastifyRequest } from 'fastify';
import { type File, sendFile } from '../http/files.ts';
import { isoSecond } from './iso-time.ts';
import type { GridFormat } from './params.ts';

/** Content type and ending of each format. */
export const GRID_CONTENT: Readonly<Record<GridFormat, { readonly type: string; readonly ending: string }>> =
  {
    netcdf: { type: 'application/netcdf', ending: 'nc' },
    geojson: { type: 'application/json', ending: 'geojson' },
    kml: { type: 'application/vnd.google-earth.kml+xml', ending: 'kml' },
  };

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

/** `sac_20240612T030000Z.nc` */
export function gridFileName(product: string, timeMs: number, format: GridFormat): string {
  return `${product}_${isoSecond(timeMs).replace(/[-:]/g, '')}.${GRID_CONTENT[format].ending}`;
}
