import { type AircraftClass, aircraftOfClass } from '@contrails/engine/grid/aircraft';
import {
  EF_PER_M,
  INDEX,
  provenance,
  treatmentAttributes,
  UNIT_VARIABLES,
} from '@contrails/engine/grid/cocip-attributes';
import { type GridLayout, joinGeojson, joinNetcdf } from '@contrails/engine/grid/file';
import { type BoundingBox, FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import { type CostUnit, type GridTreatment, isTreated, NO_TREATMENT } from '@contrails/engine/grid/treatment';
import { unknownCellWarnings } from '@contrails/engine/grid/unknown-cells';
import { chunksFile } from '@contrails/platform/http/chunks-file';
import type { File } from '@contrails/platform/http/files';
import type { Results } from '@contrails/platform/http/results';
import type { ProductStore } from '@contrails/platform/products/publish';
import type { ChunkRange } from '@contrails/platform/products/read';
import { readParts } from '@contrails/platform/products/read';
import { type FoundLevel, findLevels } from '../../../forecast-products/find-levels.ts';
import { chunkOf, withoutLost } from '../../../forecast-products/lost.ts';
import { type NotFoundServices, productNotFound } from '../../../forecast-products/not-found.ts';
import { cocipKind, indexKind, regionsKind } from '../../../forecast-products/task.ts';
import { radiationWarnings, unknownCellsOf } from '../../../forecast-products/warnings.ts';
import { type CutOptions, type CutServices, cut, hoursAround, readAround, wholeGrid } from './cut.ts';

export interface ForecastProducts extends Pick<ProductStore, 'store' | 'database'>, NotFoundServices {
  readonly database: ProductStore['database'];
  readonly results: Results;
}

export interface ForecastQuery {
  /** A whole hour [ms since 1970]. */
  readonly timeMs: number;
  /** All levels without. */
  readonly flightLevel: number | undefined;
  readonly aircraftClass: AircraftClass;
  readonly referenceTimeMs: number | undefined;
}

/** How the forecast is wanted. */
export interface GridWish {
  readonly units: 'index' | CostUnit;
  readonly layout: GridLayout;
  readonly treatment: GridTreatment;
  /** The whole globe without. */
  readonly bbox: BoundingBox | undefined;
}

/** The forecast as a netCDF file, put together from stored bytes; only another layout than the stored one is packed again. */
export async function forecastGrid(
  services: ForecastProducts & CutServices,
  query: ForecastQuery,
  { units, layout, treatment, bbox }: GridWish,
  options: CutOptions,
): Promise<File> {
  const { timeMs, aircraftClass } = query;
  const storedAs = units === 'index' ? INDEX : EF_PER_M;
  const variable = units === 'index' ? INDEX : UNIT_VARIABLES[units];
  const kind = units === 'index' ? indexKind(aircraftClass) : cocipKind(aircraftOfClass(aircraftClass));
  return withoutLost(services, async () => {
    const levels = await wantedLevels(services, query, kind);
    const around = await hoursAround(services.database, levels, treatment.neighbourhoodHours, { kind });
    return services.results.obtain(
      cacheKey([kind, units, layout, treatment, bbox, checksumsOf(around)], levels),
      options.signal,
      async (signal) => {
        const source = wholeGrid(levels, bbox);
        const stored = await readParts(services.store, levels, (level) => [chunkOf(level, storedAs.name)]);
        const encoding = { format: 'netcdf', layout } as const;
        const encoded =
          layout === 'default' && !isTreated(treatment) && source.isWhole
            ? stored
            : await cut(
                services,
                source,
                stored.flat(),
                { encoding, treatment, around: await readAround(services.store, around, storedAs.name) },
                { ...options, signal },
              );
        const chunks = await joinNetcdf({
          cells: source.cells,
          timeMs,
          variables: [{ ...variable, levels: encoded.flat() }],
          attributes: {
            aircraft_class: aircraftClass,
            ...treatmentAttributes(treatment),
            ...provenanceOf(levels),
            ...unknownCellsOf(levels),
          },
          layout,
          ...referenceTime(levels),
        });
        return publishedFile(chunks, levels);
      },
    );
  });
}

/** Regions of the forecast as a FeatureCollection, put together from stored bytes. */
export async function forecastRegions(
  services: ForecastProducts,
  query: ForecastQuery,
  threshold: number | undefined,
  signal: AbortSignal,
): Promise<File> {
  const kind = regionsKind(query.aircraftClass);
  const rangesOf = ({ product, index }: FoundLevel): readonly ChunkRange[] => {
    const features = product.manifest.features?.[index] ?? [];
    return threshold === undefined ? features : features.slice(threshold - 1, threshold);
  };
  return withoutLost(services, async () => {
    const levels = await wantedLevels(services, query, kind);
    return services.results.obtain(cacheKey([kind, threshold], levels), signal, async () => {
      const features = (await readParts(services.store, levels, rangesOf)).flat();
      return publishedFile(joinGeojson(features.map((feature) => [feature])), levels);
    });
  });
}

/** Regions whose masks are widened by so many cells, made of the stored index. */
export async function bufferedRegions(
  services: ForecastProducts & CutServices,
  query: ForecastQuery,
  { threshold, bufferCells }: { readonly threshold: number | undefined; readonly bufferCells: number },
  options: CutOptions,
): Promise<File> {
  const { timeMs, aircraftClass } = query;
  const kind = indexKind(aircraftClass);
  return withoutLost(services, async () => {
    const levels = await wantedLevels(services, query, kind);
    const key = cacheKey(['buffered regions', kind, threshold, bufferCells], levels);
    return services.results.obtain(key, options.signal, async (signal) => {
      const stored = await readParts(services.store, levels, (level) => [chunkOf(level, INDEX.name)]);
      const { forecastReferenceTimeMs: referenceTimeMs = timeMs } = referenceTime(levels);
      const features = await cut(
        services,
        wholeGrid(levels, undefined),
        stored.flat(),
        {
          encoding: { format: 'netcdf', layout: 'default' },
          treatment: { ...NO_TREATMENT, bufferCells },
          regions: { aircraftClass, timeMs, referenceTimeMs, bufferCells },
        },
        { ...options, signal },
      );
      const wanted = features.flatMap((ofLevel) =>
        threshold === undefined ? ofLevel : ofLevel.slice(threshold - 1, threshold),
      );
      return publishedFile(joinGeojson(wanted.map((feature) => [feature])), levels);
    });
  });
}

async function wantedLevels(
  services: ForecastProducts,
  { timeMs, flightLevel, aircraftClass, referenceTimeMs }: ForecastQuery,
  kind: string,
): Promise<FoundLevel[]> {
  const flightLevels = flightLevel === undefined ? FLIGHT_LEVELS : [flightLevel];
  const found = await findLevels(services.database, {
    kind,
    validTimeMs: timeMs,
    flightLevels,
    referenceTimeMs,
    forecastsOnly: true,
  });
  if (found !== undefined) return found;
  const where = flightLevel === undefined ? '' : ` on flight level ${flightLevel}`;
  const what = `forecast of class ${aircraftClass}${where}`;
  throw await productNotFound(services, { what, kind, validTimeMs: timeMs, flightLevels, referenceTimeMs });
}

/** Names everything that a response depends on: the files by their checksums, and what is taken of them. */
export function cacheKey(what: readonly unknown[], levels: readonly FoundLevel[]): string {
  return JSON.stringify([...what, levels.map(({ flightLevel, product }) => [flightLevel, product.sha256])]);
}

export const checksumsOf = (hours: readonly (readonly FoundLevel[])[]): readonly string[] =>
  hours.flat().map(({ product }) => product.sha256);

/** A response made of stored levels, as old as the last of their files, with their warnings. */
export async function publishedFile(
  chunks: readonly Uint8Array[],
  levels: readonly FoundLevel[],
): Promise<File> {
  const publishedMs = Math.max(...levels.map(({ product }) => product.createdMs));
  return {
    ...(await chunksFile(chunks, publishedMs)),
    warnings: [...unknownCellWarnings(unknownCellsOf(levels)), ...radiationWarnings(levels)],
  };
}

/** All levels of a response are of one weather source and run. */
function provenanceOf([level]: readonly FoundLevel[]): Record<string, string> {
  if (level === undefined) return {};
  const { weather, model } = level.product.manifest;
  return provenance(weather, model.version);
}

function referenceTime(levels: readonly FoundLevel[]): { forecastReferenceTimeMs?: number } {
  const run = levels[0]?.product.referenceTimeMs ?? undefined;
  return run === undefined ? {} : { forecastReferenceTimeMs: run };
}
