/** Grids for programs and commands: from options to the bytes of a file, which nothing stores. */
import { asUsage } from '@contrails/runtime/errors';
import type { Parameter } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import type { ComputeHooks, TrajectoryServices } from '../flights/compute.ts';
import { asRequestError } from '../weather/errors.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import { accfRequest, computeAccf, functionWeather } from './compute-accf.ts';
import { chooseWeather, computeGrid, type GridBytes, locationOf } from './compute-grid.ts';
import { customOf, customRequest, makeCustomGrid } from './custom-grid.ts';
import { gridFileName, wholeSecond } from './file.ts';
import { polygonShape } from './level.ts';
import { type BinaryModel, usesEngine } from './models.ts';
import {
  accfParameters,
  airParameters,
  engineParameters,
  programParameters,
  treatmentOf,
} from './parameters.ts';
import { type BinaryQuery, binaryRequest } from './request.ts';

/** The file of a grid. */
export interface NamedGrid extends GridBytes {
  /** As a server would call it. */
  readonly name: string;
}

/** Reads the options of a call as these parameters. */
type Read = <P extends Readonly<Record<string, Parameter<unknown>>>>(parameters: P) => Values<P>;

export async function computeBinaryGrid(
  { met, compute }: TrajectoryServices,
  model: BinaryModel,
  read: Read,
  scaling: HumidityScalingChoice,
  { signal = new AbortController().signal, ...hooks }: ComputeHooks,
): Promise<NamedGrid> {
  const query: BinaryQuery = usesEngine(model) ? read(engineParameters) : read(airParameters);
  const request = asUsage(() => binaryRequest(model, query, scaling));
  const opened = await met.open();
  try {
    const choice = await chooseWeather(opened, request);
    const bytes = await computeGrid(compute, opened, request, choice, { ...hooks, signal });
    return { ...bytes, name: gridFileName(model, request.timeMs, request.format) };
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

export async function computeAccfGrid(
  { met, compute }: TrajectoryServices,
  read: Read,
  { signal = new AbortController().signal, ...hooks }: ComputeHooks,
): Promise<NamedGrid> {
  const request = asUsage(() => accfRequest(read(accfParameters)));
  const opened = await met.open();
  try {
    const choice = await opened.catalogue.choose(functionWeather(request));
    const bytes = await computeAccf(compute, opened, request, choice, { ...hooks, signal });
    return { ...bytes, name: gridFileName('accf', request.timeMs, request.format) };
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

/** Any time will do, not only whole hours. */
export async function computeCocipGrid(
  { met, compute }: TrajectoryServices,
  read: Read,
  scaling: HumidityScalingChoice,
  hooks: ComputeHooks,
): Promise<NamedGrid> {
  const query = read(programParameters);
  const { aircraft_type: type, engine_uid: engineUid, format, layout, threshold } = query;
  const timeMs = wholeSecond(query.time);
  const request = customRequest(
    {
      timeMs,
      bbox: query.bbox,
      flightLevels: query.flight_level,
      aircraft: { type, ...(engineUid && { engineUid }) },
      source: query.met_source,
    },
    asUsage(() => customOf(query, type, scaling)),
    scaling,
  );
  const room = { compute, met: await met.open() };
  const treatment = asUsage(() => treatmentOf({ ...query, neighbourhood_hours: 0 }, query.units));
  const output = { format, layout, threshold, shape: polygonShape(query), treatment };
  const bytes = await makeCustomGrid(room, request, output, hooks);
  return { ...bytes, name: gridFileName(`cocip_${type}`, timeMs, format) };
}
