import type { RadiationConvention, RadiationUnit } from './source.ts';

export interface RadiationOrigin {
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  /** Sums since the start of the forecast, as the archive of the ECMWF forecasts keeps them. */
  readonly accumulatedFromStart?: boolean;
}

/** What the radiation of a provider's data set means, from who made it and the unit it is stored in. */
export function radiationConvention(origin: RadiationOrigin, unit: RadiationUnit): RadiationConvention {
  if (origin.accumulatedFromStart) return { kind: 'since-run-start', unit: 'J m-2' };
  if (origin.provider.toUpperCase() !== 'ECMWF') return { kind: 'instantaneous', unit: 'W m-2' };
  const ensemble = origin.dataset.toUpperCase() === 'ERA5' && origin.product.startsWith('ensemble');
  return { kind: 'past-hours', hours: ensemble ? 3 : 1, unit };
}
