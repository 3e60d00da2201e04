/** Grids without a server: what `GET /v0/grid/{model}` returns, computed by the calling process. */

import { openCompute } from '@contrails/engine/compute';
import type { GridOptions } from '@contrails/engine/grid/compute-grid';
import { gridFileName } from '@contrails/engine/grid/file';
import { type BinaryModel, usesEngine } from '@contrails/engine/grid/models';
import { binaryRequest } from '@contrails/engine/grid/request';
import { requireWeather } from '@contrails/engine/weather/errors';
import type { File } from '@contrails/platform/http/files';
import { createResults } from '@contrails/platform/http/results';
import { asUsage, ContrailsError, ValidationError } from '@contrails/runtime/errors';
import { readFlags } from '@contrails/runtime/options/flags';
import type { RawValue } from '@contrails/runtime/options/parameter';
import type { CoreConfig } from '../../config/core.ts';
import { createLazyMet } from '../../weather/lazy-met.ts';
import { obtainGrid } from './obtain.ts';
import { airParameters, engineParameters } from './schema.ts';

export interface OfflineGrid {
  readonly file: File;
  /** What a server would call the file. */
  readonly name: string;
  /** What a reader of the file should know. */
  readonly warnings?: readonly string[];
}

export type OfflineOptions = Pick<GridOptions, 'onProgress'>;

/** `given` holds the parameters as they were written, by their names in a query. */
export async function computeOffline(
  config: CoreConfig,
  model: BinaryModel,
  given: Readonly<Record<string, RawValue | undefined>>,
  options: OfflineOptions,
): Promise<OfflineGrid> {
  const request = readRequest(config, model, given);
  requireWeather(config);
  const met = createLazyMet(config);
  const compute = openCompute({
    threads: config.workers.threads,
    maxQueue: 1,
    heapMb: config.workers.heap_mib,
  });
  try {
    const file = await obtainGrid({ met, compute, results: createResults(0) }, request, {
      ...options,
      signal: new AbortController().signal,
    });
    return { file, name: gridFileName(model, request.timeMs, request.format) };
  } catch (error) {
    throw error instanceof ValidationError ? new ContrailsError(error.summary, { cause: error }) : error;
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
}

function readRequest(
  config: CoreConfig,
  model: BinaryModel,
  given: Readonly<Record<string, RawValue | undefined>>,
) {
  const query = usesEngine(model) ? readFlags(engineParameters, given) : readFlags(airParameters, given);
  return asUsage(() => binaryRequest(model, query, config.met.humidity_scaling));
}
