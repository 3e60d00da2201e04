/** From computed levels to the files that are stored. */
import { GEOJSON_FRAME } from '@contrails/formats';
import { FORECAST_THRESHOLDS } from '@contrails/physics/cocip';
import { type GridFile, joinNetcdf } from '../../../grids/file.ts';
import { isoSecond } from '../../../grids/iso-time.ts';
import { MODELING_VERSION } from '../../../modeling-version.ts';
import { type ProductManifest, placesOf } from '../../../products/manifest.ts';
import type { ProductDraft } from '../../../products/publish.ts';
import { unknownCells } from '../../../products/warnings.ts';
import type { ComputedLevels } from '../compute/compute-levels.ts';
import type { EncodedLevel } from '../compute/level.kernel.ts';
import {
  cocipKind,
  editionOf,
  type ForecastPart,
  familyOf,
  indexKind,
  productKey,
  regionsKind,
} from '../plan/task.ts';
import { AGE, cocipAttributes, EF_PER_M, INDEX, provenance } from './attributes.ts';

/** The contrail grid of a part and, where its aircraft stands for a class, index and regions of the forecast. */
export async function draftsOf(
  planned: ForecastPart,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft[]> {
  // Named by the weather that was read: it may have changed since the part was planned.
  const part = { ...planned, weather: computed.generation };
  const drafts = [await cocipDraft(part, computed, levels)];
  if (part.aircraftClass === undefined) return drafts;
  return [
    ...drafts,
    await indexDraft(part, part.aircraftClass, computed, levels),
    regionsDraft(part, part.aircraftClass, computed, levels),
  ];
}

function cocipDraft(
  part: ForecastPart,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft> {
  const attributes = cocipAttributes(part, computed.origin);
  return gridDraft(part, computed, cocipKind(part), {
    attributes,
    variables: [
      { ...EF_PER_M, levels: levels.map(({ efPerM }) => efPerM) },
      { ...AGE, levels: levels.map(({ ageHours }) => ageHours) },
    ],
  });
}

function indexDraft(
  part: ForecastPart,
  aircraftClass: string,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): Promise<ProductDraft> {
  return gridDraft(part, computed, indexKind(aircraftClass), {
    attributes: {
      aircraft_class: aircraftClass,
      ...provenance(commonManifest(part, computed).weather, MODELING_VERSION),
    },
    variables: [{ ...INDEX, levels: levels.map(({ forecast }) => forecast?.index ?? new Uint8Array()) }],
    ...(part.referenceTimeMs === null ? {} : { forecastReferenceTimeMs: part.referenceTimeMs }),
  });
}

async function gridDraft(
  part: ForecastPart,
  computed: ComputedLevels,
  kind: string,
  file: Pick<GridFile, 'attributes' | 'variables' | 'forecastReferenceTimeMs'>,
): Promise<ProductDraft> {
  const { cellsOutside, cellsWithoutForcing } = computed.report;
  const parts = await joinNetcdf({
    ...file,
    attributes: { ...file.attributes, ...unknownCells(cellsOutside, cellsWithoutForcing) },
    cells: computed.cells,
    timeMs: part.validTimeMs,
  });
  const variables = file.variables.map(({ name, attributes, levels }) => ({
    name,
    attributes,
    chunks: placesOf(parts, levels),
  }));
  return draft(part, kind, 'nc', parts, {
    ...commonManifest(part, computed),
    attributes: file.attributes,
    variables,
  });
}

function regionsDraft(
  part: ForecastPart,
  aircraftClass: string,
  computed: ComputedLevels,
  levels: readonly EncodedLevel[],
): ProductDraft {
  const encoder = new TextEncoder();
  const features = levels.flatMap(({ forecast }) => forecast?.regions ?? []);
  const parts = [
    encoder.encode(GEOJSON_FRAME.head),
    ...features.flatMap((feature, k) =>
      k === 0 ? [feature] : [encoder.encode(GEOJSON_FRAME.between), feature],
    ),
    encoder.encode(GEOJSON_FRAME.tail),
  ];
  const places = placesOf(parts, features);
  const perLevel = FORECAST_THRESHOLDS.length;
  return draft(part, regionsKind(aircraftClass), 'geojson', parts, {
    ...commonManifest(part, computed),
    attributes: { aircraft_class: aircraftClass },
    features: levels.map((_, k) => places.slice(k * perLevel, (k + 1) * perLevel)),
  });
}

function draft(
  part: ForecastPart,
  kind: string,
  ending: string,
  parts: readonly Uint8Array[],
  manifest: ProductManifest,
): ProductDraft {
  const { validTimeMs, referenceTimeMs } = part;
  const key = productKey(part, kind, ending);
  return { key, family: familyOf(part), kind, validTimeMs, referenceTimeMs, parts, manifest };
}

function commonManifest(
  part: ForecastPart,
  { origin, generation, report }: ComputedLevels,
): Omit<ProductManifest, 'attributes' | 'variables' | 'features'> {
  const { name, kind, provider, dataset, product } = origin;
  const { cellsOutside, cellsWithoutForcing } = report;
  const isAny = (counts: readonly number[]) => counts.some((count) => count > 0);
  const run = part.referenceTimeMs === null ? 'reanalysis' : isoSecond(part.referenceTimeMs);
  return {
    cells_per_degree: part.cellsPerDegree,
    flight_levels: part.flightLevels,
    ...(isAny(cellsOutside) && { cells_without_weather: cellsOutside }),
    ...(isAny(cellsWithoutForcing) && { cells_without_forcing: cellsWithoutForcing }),
    weather: { source: name, kind, provider, dataset, product, generation, run },
    model: { version: MODELING_VERSION, settings: editionOf(part) },
  };
}
