/** Contrail grids without a server and without stored products, computed by the calling process. */

import { openCompute } from '@contrails/engine/compute';
import { gridFileName, wholeSecond } from '@contrails/engine/grid/file';
import { polygonShape } from '@contrails/engine/grid/level';
import { asCommandError, requireWeather } from '@contrails/engine/weather/errors';
import type { File } from '@contrails/platform/http/files';
import { UsageError, ValidationError } from '@contrails/runtime/errors';
import { readFlags } from '@contrails/runtime/options/flags';
import { optional, type RawValue } from '@contrails/runtime/options/parameter';
import { text } from '@contrails/runtime/options/text';
import type { CoreConfig } from '../../config/core.ts';
import { createLazyMet } from '../../weather/lazy-met.ts';
import { customOf, customParameters, customRequest, makeCustomGrid } from './custom-grid.ts';
import { cocipParameters } from './routes/params.ts';

/** Parameters of the endpoint, and what only makes sense where nothing is computed beforehand. */
export const offlineParameters = {
  ...cocipParameters(),
  ...customParameters,
  engine_uid: optional(
    text({ maxLength: 32, description: 'Engine; the most common one of the type without.' }),
  ),
};

export interface OfflineCocip {
  readonly file: File;
  /** What a server would call the file. */
  readonly name: string;
  /** What a reader of the file should know. */
  readonly warnings: readonly string[];
}

/** `given` holds the parameters as they were written, by their names in a query. Any time will do, not only whole hours. */
export async function computeCocipOffline(
  config: CoreConfig,
  given: Readonly<Record<string, RawValue | undefined>>,
  { onProgress }: { readonly onProgress?: (fraction: number) => void },
): Promise<OfflineCocip> {
  const query = readFlags(offlineParameters, given);
  requireWeather(config);
  const met = createLazyMet(config);
  const compute = openCompute({
    threads: config.workers.threads,
    maxQueue: 1,
    heapMb: config.workers.heap_mib,
  });
  try {
    const timeMs = wholeSecond(query.time);
    const { humidity_scaling: scaling } = config.met;
    const request = customRequest(
      {
        timeMs,
        bbox: query.bbox,
        flightLevels: query.flight_level,
        aircraft: { type: query.aircraft_type, ...(query.engine_uid && { engineUid: query.engine_uid }) },
        source: query.met_source,
      },
      customOf(query, query.aircraft_type, scaling),
      scaling,
    );
    const { format, layout, threshold, ...polygons } = query;
    const output = { format, layout, threshold, shape: polygonShape(polygons) };
    const file = await makeCustomGrid({ compute, met: await met.open() }, request, output, {
      ...(onProgress && { onProgress }),
    });
    const name = gridFileName(`cocip_${query.aircraft_type}`, timeMs, format);
    return { file, name, warnings: file.warnings ?? [] };
  } catch (error) {
    if (error instanceof ValidationError) throw new UsageError(error.message, { cause: error });
    throw asCommandError(error);
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
}
