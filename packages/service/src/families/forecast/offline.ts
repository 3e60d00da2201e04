/** Contrail grids without a server and without stored products, computed by the calling process. */

import { type RegionFeature, thresholdTest } from '@contrails/formats';
import { openCompute } from '../../compute/index.ts';
import type { CoreConfig } from '../../config/load.ts';
import { UsageError, ValidationError } from '../../errors.ts';
import { gridFileName, joinGeojson, joinKml, joinNetcdf, wholeSecond } from '../../grids/file.ts';
import { isoSecond } from '../../grids/iso-time.ts';
import { gridCells } from '../../grids/layout.ts';
import { encodeLevel, type LevelEncoding, polygonShape } from '../../grids/level.ts';
import { levelProperties } from '../../grids/properties.ts';
import { chunksFile } from '../../http/chunks-file.ts';
import type { File } from '../../http/files.ts';
import { readFlags } from '../../http/params/flags.ts';
import { optional, type RawValue } from '../../http/params/parameter.ts';
import { text } from '../../http/params/text.ts';
import type { Values } from '../../http/query.ts';
import { unknownCells, unknownCellWarnings } from '../../products/warnings.ts';
import { asCommandError, requireWeather } from '../../weather/errors.ts';
import { createLazyMet } from '../../weather/lazy-met.ts';
import { MAX_AGE_HOURS } from './compute/cocip-model.ts';
import { type ComputedLevels, computeLevels } from './compute/compute-levels.ts';
import { AGE, cocipAttributes, EF_PER_M } from './publish/attributes.ts';
import { cocipParameters } from './routes/params.ts';

/** Parameters of the endpoint, and what only makes sense where nothing is computed beforehand. */
export const offlineParameters = {
  ...cocipParameters(),
  engine_uid: optional(
    text({ maxLength: 32, description: 'Engine; the most common one of the type without.' }),
  ),
  met_source: optional(text({ maxLength: 64, description: 'Name of a configured weather source.' })),
};

type OfflineQuery = Values<typeof offlineParameters>;

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
    const computed = await computeLevels(
      { compute, met: await met.open() },
      {
        ...(query.met_source === undefined ? {} : { source: query.met_source }),
        timeMs,
        aircraft: { type: query.aircraft_type, ...(query.engine_uid && { engineUid: query.engine_uid }) },
        cells: gridCells(query.bbox, query.flight_level),
        humidityScaling: config.met.humidity_scaling,
        partial: true,
      },
      onProgress && { onProgress },
    );
    const file = await chunksFile(await fileChunks(computed, query, config, timeMs), Date.now());
    const name = gridFileName(`cocip_${query.aircraft_type}`, timeMs, query.format);
    return { file, name, warnings: warningsOf(computed) };
  } catch (error) {
    if (error instanceof ValidationError) throw new UsageError(error.message, { cause: error });
    throw asCommandError(error);
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
}

/** The grid itself has no place for it: what is unknown in it is 0. */
function warningsOf({ hasWholeLives, weatherEndMs, cells, origin, report }: ComputedLevels): string[] {
  const cellsOutside = report.cellsOutside.reduce((sum, count) => sum + count, 0);
  const total = cells.longitude.length * cells.latitude.length * cells.flightLevels.length;
  return [
    ...(hasWholeLives
      ? []
      : [
          `${origin.name} ends at ${isoSecond(weatherEndMs)}, before contrails of ${MAX_AGE_HOURS} hours do: where they would live on, energy forcing and age are too small; get later weather`,
        ]),
    ...(cellsOutside === 0
      ? []
      : [
          `${cellsOutside} of ${total} cells lie outside ${origin.name}, and have no contrail in the grid; choose --bbox and --flight-level within it, as "contrails met list" shows it`,
        ]),
    ...unknownCellWarnings(unknownCells([], report.cellsWithoutForcing)),
  ];
}

async function fileChunks(
  { cells, efPerM, ageHours, origin }: ComputedLevels,
  { aircraft_type: type, format, layout, threshold, ...polygons }: OfflineQuery,
  config: CoreConfig,
  timeMs: number,
): Promise<Uint8Array[]> {
  const attributes = cocipAttributes({ type, humidityScaling: config.met.humidity_scaling }, origin);
  const encode = (
    planes: readonly Float32Array[],
    encoding: LevelEncoding,
    properties: (flightLevel: number) => RegionFeature['properties'],
  ) =>
    cells.flightLevels.map((flightLevel, k) =>
      encodeLevel(
        { ...cells, values: planes[k] as Float32Array, flightLevel, properties: properties(flightLevel) },
        encoding,
      ),
    );
  if (format === 'netcdf') {
    const packed = (planes: readonly Float32Array[]) => encode(planes, { format, layout }, () => ({})).flat();
    const variables = [
      { ...EF_PER_M, levels: packed(efPerM) },
      { ...AGE, levels: packed(ageHours) },
    ];
    return joinNetcdf({ cells, timeMs, variables, attributes, layout });
  }
  const { name: _, ...about } = attributes;
  const properties = (flightLevel: number) =>
    levelProperties({ name: EF_PER_M.name, flightLevel, timeMs, isoValue: threshold, attributes: about });
  const encoding = { format, test: thresholdTest(threshold), shape: polygonShape(polygons) } as const;
  const features = encode(efPerM, encoding, properties);
  const time = isoSecond(timeMs);
  return format === 'geojson'
    ? joinGeojson(features)
    : joinKml({ name: `cocip ${type} ${time}`, time }, features);
}
