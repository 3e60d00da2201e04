import { HOUR_MS } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import type { DataType, RadiationConvention, RadiationUnit } from '../source.ts';

/** Configuration of data whose files do not define it. */
export interface RadiationOrigin {
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  /** Whether the data are forecasts; the files and the name of the product decide unless given. */
  readonly type?: DataType;
  /** Sums since the start of the forecast, as the archive of the ECMWF forecasts keeps them. */
  readonly accumulatedFromStart?: boolean;
  /** Hours before its stamp that a value describes. */
  readonly radiationHours?: 1 | 3;
  /** Radiation is a mean or sum over intervals, of which albedo and longwave means are taken. */
  readonly radiationIntervals?: boolean;
  /** Reflected shortwave radiation may be estimated from the surface. */
  readonly estimateRadiation?: boolean;
  /** Name of the source whose radiation is used. */
  readonly radiationFrom?: string;
  /** Line by which the provider of the data is named. */
  readonly attribution?: string;
}

/**
 * What radiation means. The unit it is stored in decides; the provider only where no unit is stored, and whether fluxes
 * in W m⁻² are means of the past hour (ECMWF) or hold at their stamp. `stepMs` is the step of the stamps, 0 for one.
 */
export function radiationConvention(
  origin: RadiationOrigin,
  stored: RadiationUnit | undefined,
  stepMs: number,
): RadiationConvention {
  const isEcmwf = isCalled(origin.provider, 'ECMWF');
  const unit = stored ?? (isEcmwf ? 'J m-2' : 'W m-2');
  if (origin.accumulatedFromStart) {
    if (stored === 'W m-2') throw contradiction();
    return { kind: 'since-run-start', unit: 'J m-2' };
  }
  if (origin.radiationHours !== undefined) return { kind: 'past-hours', hours: origin.radiationHours, unit };
  if (isEcmwf) return { kind: 'past-hours', hours: isEra5Ensemble(origin) ? 3 : 1, unit };
  if (unit === 'W m-2') return { kind: 'instantaneous', unit };
  if (isEra5Ensemble(origin)) return { kind: 'past-hours', hours: 3, unit };
  if (isCalled(origin.dataset, 'ERA5') || stepMs <= HOUR_MS) return { kind: 'past-hours', hours: 1, unit };
  throw new MetError(
    'unreadable',
    `radiation is stored in J m-2 every ${stepMs / HOUR_MS} h, and nothing defines over how many hours it is summed; ` +
      'set radiation_hours of the source to 1 or 3, or radiation_accumulated where it is summed since the start of the forecast',
    { unit, stepHours: stepMs / HOUR_MS },
  );
}

function isEra5Ensemble({ dataset, product }: RadiationOrigin): boolean {
  return isCalled(dataset, 'ERA5') && /^ensemble/i.test(product.trim());
}

function isCalled(text: string, name: string): boolean {
  return text.trim().toUpperCase() === name;
}

function contradiction(): MetError {
  return new MetError(
    'unreadable',
    'radiation is stored in W m-2, which is not a sum since the start of the forecast; remove radiation_accumulated from the source',
    { unit: 'W m-2' },
  );
}
