/**
 * Radiation at the top of the atmosphere from weather data: what accumulated fluxes mean in time and unit, and the
 * reflected solar and outgoing longwave radiation [W m⁻²] that contrails act upon. Times are milliseconds.
 */

import { InputError } from '../errors.ts';
import { type Column, requireSameLength } from '../numerics/columns.ts';

const HOUR_MS = 3_600_000;
const HOUR_S = 3600;

/**
 * How a source keeps radiation: sums of the past hour (ERA5 reanalysis, HRES de-accumulated, other ECMWF data), of
 * the past three hours (ERA5 ensemble), since the start of the forecast (HRES as archived), or values at the time
 * stamp itself (not ECMWF).
 */
export type RadiationAccumulation = 'past-hour' | 'past-three-hours' | 'forecast-start' | 'none';

/** Where radiation comes from, in the words of its metadata. */
export interface RadiationSource {
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  /** Whether HRES values are sums since the start of the forecast; HRES must set it. */
  readonly accumulatedFromStart?: boolean | undefined;
}

/** How a source keeps its radiation. */
export function radiationAccumulation(source: RadiationSource): RadiationAccumulation {
  if (source.provider !== 'ECMWF') return 'none';
  if (source.dataset === 'ERA5' && source.product === 'ensemble') return 'past-three-hours';
  if (source.dataset !== 'HRES') return 'past-hour';
  if (source.accumulatedFromStart === undefined) {
    throw new InputError(
      'HRES radiation must say whether it is accumulated since the start of the forecast',
      {
        ...source,
      },
    );
  }
  return source.accumulatedFromStart ? 'forecast-start' : 'past-hour';
}

/** Seconds over which a value in J m⁻² was summed, once {@link deaccumulateInto} has been applied where needed. */
export function accumulationSeconds(accumulation: RadiationAccumulation): number {
  return accumulation === 'past-three-hours' ? 3 * HOUR_S : HOUR_S;
}

/** Time stamps moved to the middle of what their values describe; the first disappears for 'forecast-start'. */
export function radiationTimesMs(accumulation: RadiationAccumulation, timesMs: Float64Array): Float64Array {
  if (accumulation === 'none') return timesMs.slice();
  if (accumulation === 'forecast-start') {
    return timesMs.subarray(1).map((time, i) => time - (time - (timesMs[i] as number)) / 2);
  }
  const shiftMs = (accumulationSeconds(accumulation) * 1000) / 2;
  return timesMs.map((time) => time - shiftMs);
}

/**
 * Sums since the start of a forecast → mean sums per hour between consecutive times. `sums` holds concatenated series
 * (time runs fastest), `out` one value fewer per series.
 */
export function deaccumulateInto(out: Column, sums: Column, timesMs: Float64Array): Column {
  const steps = timesMs.length - 1;
  if (
    steps < 1 ||
    sums.length % timesMs.length !== 0 ||
    out.length * timesMs.length !== sums.length * steps
  ) {
    throw new InputError(
      `radiation of ${sums.length} values and ${timesMs.length} times cannot become ${out.length} differences`,
      { sums: sums.length, times: timesMs.length, out: out.length },
    );
  }
  const n = out.length;
  for (let i = 0; i < n; i++) {
    const step = i % steps;
    const from = (i - step) / steps + i;
    const hours = ((timesMs[step + 1] as number) - (timesMs[step] as number)) / HOUR_MS;
    out[i] = ((sums[from + 1] as number) - (sums[from] as number)) / hours;
  }
  return out;
}

/** Factor from a field's unit to W m⁻²; to be applied after interpolation. */
export function fluxPerUnit(unit: string, accumulation: RadiationAccumulation): number {
  const plain = unit.replaceAll('**', '').replaceAll('^', '').replace(/\s+/g, ' ').trim();
  if (plain === 'W m-2') return 1;
  if (plain === 'J m-2') return 1 / accumulationSeconds(accumulation);
  throw new InputError(
    `radiation has the unit ${JSON.stringify(unit)}; only J m-2 and W m-2 are understood`,
    {
      unit,
    },
  );
}

/** Reflected solar radiation [W m⁻²]: what comes in (solar direct radiation) less the net downward flux. */
export function reflectedSolarRadiation(solarDirect: number, netSolar: number): number {
  return Math.max(solarDirect - netSolar, 0);
}

/** Outgoing longwave radiation [W m⁻²] from the net downward thermal flux, which is negative. */
export function outgoingLongwaveRadiation(netThermal: number): number {
  return Math.max(-netThermal, 0);
}

/** Loop over {@link reflectedSolarRadiation}. */
export function reflectedSolarRadiationInto(out: Column, solarDirect: Column, netSolar: Column): Column {
  requireSameLength(out, solarDirect, netSolar);
  const n = out.length;
  for (let i = 0; i < n; i++) {
    out[i] = reflectedSolarRadiation(solarDirect[i] as number, netSolar[i] as number);
  }
  return out;
}

/** Loop over {@link outgoingLongwaveRadiation}. */
export function outgoingLongwaveRadiationInto(out: Column, netThermal: Column): Column {
  requireSameLength(out, netThermal);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = outgoingLongwaveRadiation(netThermal[i] as number);
  return out;
}
