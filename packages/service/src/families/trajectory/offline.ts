/** Flights without a server: what `POST /v0/trajectory/{model}` returns, computed by the calling process. */

import { openCompute } from '@contrails/engine/compute';
import { type Answered, makeAnswer } from '@contrails/engine/flights/answer';
import { computeResults } from '@contrails/engine/flights/compute';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { climateOptionsOf } from '@contrails/engine/flights/flight-climate';
import { type OutputColumn, outputColumns, type TrajectoryModel } from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import {
  defaultScaling,
  optionsOf,
  type TrajectoryOptions,
  trajectoryParameters,
} from '@contrails/engine/flights/options';
import type { GivenParameters } from '@contrails/engine/flights/parameter-table';
import { prepareRequest } from '@contrails/engine/flights/prepare-request';
import { readBody } from '@contrails/engine/flights/read-body';
import { readParameterFlags, withParameters } from '@contrails/engine/flights/read-parameters';
import { requireWeather } from '@contrails/engine/weather/errors';
import { nameOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { QUANTILE_NAMES } from '@contrails/physics/uncertainty';
import { asUsage, ContrailsError, UsageError, ValidationError } from '@contrails/runtime/errors';
import { readFlags } from '@contrails/runtime/options/flags';
import type { RawValue } from '@contrails/runtime/options/parameter';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import type { CoreConfig } from '../../config/core.ts';
import { createLazyMet } from '../../weather/lazy-met.ts';
import { type AnswerTables, tablesOf } from './tables.ts';

/** What became of one body; the fleet is the resampled one where that was asked for. */
export interface EvaluatedBody extends Answered {
  readonly fleet: RequestFleet;
  tables(): AnswerTables;
}

/** Weather and threads that stay open from one body to the next. */
export interface OfflineTrajectories {
  /** How many bodies are worth evaluating at once. */
  readonly threads: number;
  /** Fields of responses that have a value for each waypoint. */
  readonly columns: readonly CsvColumn[];
  evaluate(body: unknown, onProgress?: (fraction: number) => void): Promise<EvaluatedBody>;
  close(): Promise<void>;
}

export interface OfflineSettings {
  /** Parameters of the models, each as `name=value`. */
  readonly params?: readonly string[];
  /** Whether what is written has tables: contrails are then rows instead of lines. */
  readonly hasTables?: boolean;
}

/** `given` holds the parameters as they were written, by their names in a query. */
export function openOffline(
  config: CoreConfig,
  model: TrajectoryModel,
  given: Readonly<Record<string, RawValue | undefined>>,
  { params = [], hasTables = false }: OfflineSettings = {},
): OfflineTrajectories {
  const options = forOutput(readOptions(config, model, given), hasTables);
  const flags = asUsage(() => readParameterFlags(params, model));
  // What a body gives takes precedence over what holds for all of them.
  const optionsFor = (ofBody: GivenParameters | undefined) =>
    withParameters(options, flags && ofBody ? { ...flags, ...ofBody } : (ofBody ?? flags));
  asUsage(() => optionsFor(undefined));
  const needs = needsOf(model, options.includes, climateOptionsOf(options));
  const met = createLazyMet(config);
  const openMet = async () => {
    requireWeather(config);
    return met.open();
  };
  const { threads, heap_mib: heapMb } = config.workers;
  const compute = openCompute({ threads, maxQueue: Number.MAX_SAFE_INTEGER, heapMb });
  return {
    threads: compute.threads,
    columns: [
      ...outputColumns(model, options.includes, options.climate?.metric),
      ...(options.uncertainty === undefined ? [] : SAMPLE_COLUMNS),
    ],
    async evaluate(body, onProgress) {
      try {
        const read = finish(readBody(body, model, needs));
        if (read instanceof Rejected) throw errorsOf(undefined, undefined, read);
        const request = await prepareRequest(model, read.fleet, optionsFor(read.parameters), compute);
        const services = { met: { open: openMet }, compute };
        const computed = await computeResults(services, request, { onProgress });
        const answered = makeAnswer(computed);
        return { fleet: request.fleet, ...answered, tables: () => tablesOf(computed, answered) };
      } catch (error) {
        throw error instanceof ValidationError ? new ContrailsError(error.summary, { cause: error }) : error;
      }
    },
    async close() {
      await Promise.all([compute.close(), met.close()]);
    },
  };
}

function forOutput(options: TrajectoryOptions, hasTables: boolean): TrajectoryOptions {
  if (hasTables) return options.includes.includes('contrail') ? { ...options, contrailRows: true } : options;
  if (options.contrailRows === undefined) return options;
  throw new UsageError(
    '--table contrail needs a format that has tables; give --format parquet or --format netcdf',
  );
}

function readOptions(
  config: CoreConfig,
  model: TrajectoryModel,
  given: Readonly<Record<string, RawValue | undefined>>,
): TrajectoryOptions {
  const query = readFlags(trajectoryParameters(model), given);
  return asUsage(() => optionsOf(query, defaultScaling(model, config.met.humidity_scaling)));
}

const FORCING = nameOf(WAYPOINT_FIELDS, 'energy_forcing');

/** Statistics of the samples at the waypoints, where there are some. */
const SAMPLE_COLUMNS = [
  ...QUANTILE_NAMES.map((name) => `${FORCING}_${name}`),
  'probability_persistent',
] as const;

type SampleColumn = (typeof SAMPLE_COLUMNS)[number];
type CsvColumn = OutputColumn | SampleColumn;

const DIGITS = 7;
const POSITION_COLUMNS = ['flight_id', 'time', 'longitude', 'latitude', 'altitude'];

/** The first line of the table. */
export function csvHead(columns: readonly CsvColumn[]): string {
  const names = columns.map((name) => (isSampleColumn(name) ? name : nameOf(WAYPOINT_FIELDS, name)));
  return `${[...POSITION_COLUMNS, ...names].join(',')}\n`;
}

/** The lines of one answer; what is unknown is empty. */
export function* csvLines(names: readonly CsvColumn[], { fleet, answer }: EvaluatedBody): Generator<string> {
  const places = inRequest(fleet);
  const columns = names.map((name) =>
    isSampleColumn(name)
      ? sampleColumn(fleet, answer, name, places)
      : (answer[nameOf(WAYPOINT_FIELDS, name)] as Float64Array),
  );
  const ids = fleet.flightId;
  for (const [row, i] of places.entries()) {
    const id = Array.isArray(ids) ? ids[row] : (ids ?? answer.flight_id);
    const cells = [
      cellOf(String(id)),
      new Date(fleet.columns.timeMs[i] as number).toISOString(),
      numberOf(fleet.columns.longitude[i] as number),
      numberOf(fleet.columns.latitude[i] as number),
      numberOf(fleet.columns.altitudeFt[i] as number),
      ...columns.map((column) => numberOf(column[row] as number)),
    ];
    yield `${cells.join(',')}\n`;
  }
}

const isSampleColumn = (name: CsvColumn): name is SampleColumn =>
  (SAMPLE_COLUMNS as readonly string[]).includes(name);

/** Statistics at the places of the request; unknown where too much would have to be kept. */
function sampleColumn(
  { offsets, columns: { timeMs } }: RequestFleet,
  answer: Answered['answer'],
  name: SampleColumn,
  places: Uint32Array,
): Float64Array {
  interface Sampled {
    readonly waypoints?: Readonly<Record<string, Float64Array>> | null;
    readonly flights?: readonly Sampled[];
  }
  const uncertainty = answer.uncertainty as Sampled;
  const inFleet = new Float64Array(timeMs.length).fill(Number.NaN);
  (uncertainty.flights ?? [uncertainty]).forEach(({ waypoints }, f) => {
    const values = waypoints?.[name.replace(`${FORCING}_`, '')];
    if (values !== undefined) inFleet.set(values, offsets[f]);
  });
  return Float64Array.from(places, (place) => inFleet[place] as number);
}

/** Which waypoint of the fleet stands at each place of the request. */
function inRequest({ requestIndex, columns: { timeMs } }: RequestFleet): Uint32Array {
  const places = Uint32Array.from(timeMs, (_, i) => i);
  requestIndex?.forEach((place, i) => {
    places[place] = i;
  });
  return places;
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : '';
}

/** RFC 4180. */
function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
