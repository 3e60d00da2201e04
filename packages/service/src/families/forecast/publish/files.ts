/** From computed levels to the files that are stored. */

import { AGE, cocipAttributes, EF_PER_M, INDEX, provenance } from '@contrails/engine/grid/cocip-attributes';
import type { ComputedLevels } from '@contrails/engine/grid/compute-levels';
import { type GridFile, joinNetcdf } from '@contrails/engine/grid/file';
import type { EncodedLevel } from '@contrails/engine/grid/level.kernel';
import { unknownCells } from '@contrails/engine/grid/unknown-cells';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { GEOJSON_FRAME } from '@contrails/formats';
import { FORECAST_THRESHOLDS } from '@contrails/physics/cocip';
import { chunkRangesOf, type ProductDraft } from '@contrails/platform/products/publish';
import { isoSecond } from '@contrails/runtime';
import type { ProductManifest } from '../../../forecast-products/manifest.ts';
import {
  cocipKind,
  editionOf,
  type ForecastTask,
  groupOf,
  indexKind,
  productKey,
  regionsKind,
} from '../../../forecast-products/task.ts';

/** The contrail grid of a task and, where its aircraft represents a class, index and regions of the forecast. */
export async function draftsOf(
  planned: ForecastTask,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft[]> {
  // Named by the weather that was read: it may have changed since the task was planned.
  const task = { ...planned, weather: computed.generation };
  const drafts = [await cocipDraft(task, computed, levels)];
  if (task.aircraftClass === undefined) return drafts;
  return [
    ...drafts,
    await indexDraft(task, task.aircraftClass, computed, levels),
    regionsDraft(task, task.aircraftClass, computed, levels),
  ];
}

function cocipDraft(
  task: ForecastTask,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft> {
  const attributes = cocipAttributes(task, computed.origin);
  return gridDraft(task, computed, cocipKind(task), {
    attributes,
    variables: [
      { ...EF_PER_M, levels: levels.map(({ efPerM }) => efPerM) },
      { ...AGE, levels: levels.map(({ ageHours }) => ageHours) },
    ],
  });
}

function indexDraft(
  task: ForecastTask,
  aircraftClass: string,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft> {
  return gridDraft(task, computed, indexKind(aircraftClass), {
    attributes: {
      aircraft_class: aircraftClass,
      ...provenance(commonManifest(task, computed).weather, MODELING_VERSION),
    },
    variables: [{ ...INDEX, levels: levels.map(({ forecast }) => forecast?.index ?? new Uint8Array()) }],
    ...(task.referenceTimeMs === null ? {} : { forecastReferenceTimeMs: task.referenceTimeMs }),
  });
}

async function gridDraft(
  task: ForecastTask,
  computed: ComputedLevels,
  kind: string,
  file: Pick<GridFile, 'attributes' | 'variables' | 'forecastReferenceTimeMs'>,
): Promise<ProductDraft> {
  const { cellsOutside, cellsWithoutForcing } = computed.report;
  const chunks = await joinNetcdf({
    ...file,
    attributes: { ...file.attributes, ...unknownCells(cellsOutside, cellsWithoutForcing) },
    cells: computed.cells,
    timeMs: task.validTimeMs,
  });
  const variables = file.variables.map(({ name, attributes, levels }) => ({
    name,
    attributes,
    chunks: chunkRangesOf(chunks, levels),
  }));
  return draft(task, kind, 'nc', chunks, {
    ...commonManifest(task, computed),
    attributes: file.attributes,
    variables,
  });
}

function regionsDraft(
  task: ForecastTask,
  aircraftClass: string,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): ProductDraft {
  const encoder = new TextEncoder();
  const features = levels.flatMap(({ forecast }) => forecast?.regions ?? []);
  const chunks = [
    encoder.encode(GEOJSON_FRAME.head),
    ...features.flatMap((feature, k) =>
      k === 0 ? [feature] : [encoder.encode(GEOJSON_FRAME.between), feature],
    ),
    encoder.encode(GEOJSON_FRAME.tail),
  ];
  const ranges = chunkRangesOf(chunks, features);
  const perLevel = FORECAST_THRESHOLDS.length;
  return draft(task, regionsKind(aircraftClass), 'geojson', chunks, {
    ...commonManifest(task, computed),
    attributes: { aircraft_class: aircraftClass },
    features: levels.map((_, k) => ranges.slice(k * perLevel, (k + 1) * perLevel)),
  });
}

function draft(
  task: ForecastTask,
  kind: string,
  ending: string,
  chunks: readonly Uint8Array[],
  manifest: ProductManifest,
): ProductDraft {
  const { validTimeMs, referenceTimeMs } = task;
  const key = productKey(task, kind, ending);
  const { source = '', radiation } = manifest.weather;
  const attributes = {
    levels: manifest.flight_levels.join(','),
    edition: manifest.model.settings,
    source,
    ...(radiation === undefined || radiation === 'own' ? {} : { radiation }),
  };
  return { key, family: groupOf(task), kind, validTimeMs, referenceTimeMs, attributes, chunks, manifest };
}

function commonManifest(
  task: ForecastTask,
  { origin, generation, report, device }: ComputedLevels,
): Omit<ProductManifest, 'attributes' | 'variables' | 'features'> {
  const { name, kind, provider, dataset, product, radiation, attributions } = origin;
  const { cellsOutside, cellsWithoutForcing } = report;
  const isAny = (counts: readonly number[]) => counts.some((count) => count > 0);
  const run = task.referenceTimeMs === null ? 'reanalysis' : isoSecond(task.referenceTimeMs);
  return {
    cells_per_degree: task.cellsPerDegree,
    flight_levels: task.flightLevels,
    ...(isAny(cellsOutside) && { cells_without_weather: cellsOutside }),
    ...(isAny(cellsWithoutForcing) && { cells_without_forcing: cellsWithoutForcing }),
    weather: {
      ...{ source: name, kind, provider, dataset, product, generation, run },
      ...(radiation === undefined ? {} : { radiation }),
      ...(attributions.length === 0 ? {} : { attribution: attributions.join(' ') }),
    },
    model: { version: MODELING_VERSION, settings: editionOf(task), ...(device && { device }) },
  };
}
