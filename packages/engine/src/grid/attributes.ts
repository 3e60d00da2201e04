import type { WeatherOrigin } from '@contrails/met';
import { MODELING_VERSION } from '../modeling-version.ts';
import { describeScaling } from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { usesEngine } from './models.ts';
import type { BinaryRequest } from './request.ts';

/** How a grid of flags was computed, as attributes of files and polygons. */
export function gridAttributes(
  { model, engineEfficiency, scaling, bufferCells }: BinaryRequest,
  origin: WeatherOrigin,
): Record<string, string | number> {
  const { name, formula, parameters } = describeScaling(scaling);
  return {
    ...(usesEngine(model) ? { engine_efficiency: engineEfficiency } : {}),
    ...(bufferCells > 0 ? { buffer_cells: bufferCells } : {}),
    humidity_scaling_name: name,
    humidity_scaling_formula: formula,
    ...Object.fromEntries(
      Object.entries(parameters).map(([parameter, value]) => [`humidity_scaling_${parameter}`, value]),
    ),
    ...sourceAttributes(origin),
    modeling_version: MODELING_VERSION,
  };
}
