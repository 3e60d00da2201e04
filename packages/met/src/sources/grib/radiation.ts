import { HOUR_MS } from '@contrails/runtime';
import type { Contents } from '../../dataset/description.ts';
import { MetError } from '../../errors.ts';
import { radiationVariables, SURFACE_SHORTWAVE } from '../../radiation/radiation.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { RadiationConvention } from '../../source.ts';
import type { GribField } from './index-file.ts';
import type { Product } from './product.ts';

/**
 * Some centres write fluxes for the start of a forecast but sums or means for later steps: with nothing to sum yet, they are 0.
 * They count as the first of the sums, and are left out where there are none.
 */
export function withStartFluxesAsSums(files: readonly Contents<GribField>[]): readonly Contents<GribField>[] {
  const isRadiation = ({ radiationUnit }: GribField) => radiationUnit !== undefined;
  const statistics = new Set(
    files.flatMap(({ entries }) => entries.filter(isRadiation).map(({ product }) => product.statistic)),
  );
  if (statistics.size < 2) return files;
  const arranged = (field: GribField): GribField | [] => {
    const { statistic, timeMs, referenceTimeMs } = field.product;
    const isStartFlux = isRadiation(field) && statistic === undefined && timeMs === referenceTimeMs;
    if (!isStartFlux) return field;
    if (!statistics.has('accumulation')) return [];
    return {
      ...field,
      radiationUnit: 'J m-2',
      product: { ...field.product, statistic: 'accumulation', intervalStartMs: referenceTimeMs },
    };
  };
  return files.map(({ entries, ...contents }) => ({ ...contents, entries: entries.flatMap(arranged) }));
}

/** What the radiation of a file means: a GRIB field defines what it was averaged or summed over. */
export function radiationOfFields(
  fields: readonly GribField[],
  { provider, radiationIntervals, estimateRadiation }: RadiationOrigin,
): RadiationConvention {
  const found = radiationVariables([...new Set(fields.map(({ variable }) => variable))], estimateRadiation);
  const products = fields
    .filter(({ radiationUnit }) => radiationUnit !== undefined)
    .filter(({ variable }) => found?.variables.includes(variable) ?? variable !== SURFACE_SHORTWAVE)
    .map(({ product }) => product);
  if (radiationIntervals && products.length > 0 && products.every(({ statistic }) => statistic === 'mean')) {
    return { kind: 'window-means', unit: 'W m-2' };
  }
  const summed = products.filter(({ statistic }) => statistic === 'accumulation');
  if (summed.length === 0) return meanRadiation(products, provider);
  if (summed.length < products.length) throw mixed('sums of radiation and fluxes');
  if (summed.every((product) => product.intervalStartMs === product.referenceTimeMs)) {
    return { kind: 'since-run-start', unit: 'J m-2' };
  }
  return { kind: 'past-hours', hours: hoursOf(summed), unit: 'J m-2' };
}

/**
 * The models take the fluxes of other providers as they are stamped, as the reference does with the means of GFS;
 * means of ECMWF are dated in the middle of their interval.
 */
function meanRadiation(products: readonly Product[], provider: string): RadiationConvention {
  const means = products.filter(({ statistic }) => statistic === 'mean');
  if (means.length === 0 || provider.trim().toUpperCase() !== 'ECMWF') {
    return { kind: 'instantaneous', unit: 'W m-2' };
  }
  if (means.length < products.length) throw mixed('means of radiation and values at an instant');
  return { kind: 'past-hours', hours: hoursOf(means), unit: 'W m-2' };
}

function hoursOf(products: readonly Product[]): 1 | 3 {
  const lengths = new Set(products.map((product) => (product.timeMs - product.intervalStartMs) / HOUR_MS));
  const [hours] = lengths;
  if (lengths.size === 1 && (hours === 1 || hours === 3)) return hours;
  throw mixed(`radiation over ${[...lengths].join(', ')} hours (1 or 3 are read)`);
}

function mixed(what: string): MetError {
  return new MetError('unreadable', `the files hold ${what}; keep one kind`);
}
