/** Bodies that are evaluated in turn with the same options: what `POST /v0/trajectory/{model}` returns for each. */
import { asUsage } from '@contrails/runtime/errors';
import { accepted } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { type Answered, makeAnswer } from './answer.ts';
import { type ComputeHooks, computeResults, type TrajectoryServices } from './compute.ts';
import type { RequestFleet } from './fleet.ts';
import { climateOptionsOf } from './flight-climate.ts';
import type { TrajectoryModel } from './models.ts';
import { needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import type { GivenParameters } from './parameter-table.ts';
import { prepareRequest } from './prepare-request.ts';
import { readBody } from './read-body.ts';
import { withParameters } from './read-parameters.ts';
import { type AnswerTables, tablesOf } from './tables.ts';

/** The answer to one body; the fleet is the resampled one where that was asked for. */
export interface EvaluatedBody extends Answered {
  readonly fleet: RequestFleet;
  tables(): AnswerTables;
}

export interface BodySettings {
  /** Parameters of the models; those that a body gives take precedence. */
  readonly parameters?: GivenParameters | undefined;
  /** Whether answers become tables: contrails are then rows instead of lines. */
  readonly hasTables?: boolean;
}

export interface Trajectories {
  readonly options: TrajectoryOptions;
  evaluate(body: unknown, hooks?: ComputeHooks): Promise<EvaluatedBody>;
}

/** Throws a `UsageError` where options and parameters do not go together, and of `evaluate` a `ValidationError`. */
export function openTrajectories(
  services: TrajectoryServices,
  model: TrajectoryModel,
  given: TrajectoryOptions,
  { parameters, hasTables = false }: BodySettings,
): Trajectories {
  const hasRows = hasTables && given.includes.includes('contrail');
  const options: TrajectoryOptions = hasRows ? { ...given, contrailRows: true } : given;
  const optionsFor = (ofBody: GivenParameters | undefined) =>
    withParameters(options, parameters && ofBody ? { ...parameters, ...ofBody } : (ofBody ?? parameters));
  asUsage(() => optionsFor(undefined));
  const needs = needsOf(model, options.includes, climateOptionsOf(options));
  return {
    options,
    async evaluate(body, hooks = {}) {
      const read = accepted(finish(readBody(body, model, needs)));
      const { compute } = services;
      const request = await prepareRequest(model, read.fleet, optionsFor(read.parameters), compute);
      const computed = await computeResults(services, request, hooks);
      const answered = finish(makeAnswer(computed));
      return { fleet: request.fleet, ...answered, tables: () => tablesOf(computed, answered) };
    },
  };
}
