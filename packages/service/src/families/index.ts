import type { Api } from '@contrails/platform/http/api';
import type { Routes } from '@contrails/platform/http/app';
import type { JobKind, JobRecord } from '@contrails/platform/jobs';
import { subjectOf } from '@contrails/platform/jobs/define';
import { composeScopes } from '@contrails/platform/keys/scopes';
import type { CoreConfig } from '../config/core.ts';
import { flightFileProblems, weatherProblems } from '../endpoints/problems.ts';
import type { Family } from '../family.ts';
import type { Services } from '../services.ts';
import { authFamily } from './auth/family.ts';
import { forecastFamily } from './forecast/family.ts';
import { gridFamily } from './grid/family.ts';
import { inventoryFamily } from './inventory/family.ts';
import { jobsFamily } from './jobs/family.ts';
import { liveFamily } from './live/family.ts';
import { observationsFamily } from './observations/family.ts';
import { pageFamily } from './page/family.ts';
import { planningFamily } from './planning/family.ts';
import { statusFamily } from './status/family.ts';
import { telemetryFamily } from './telemetry/family.ts';
import { trajectoryFamily } from './trajectory/family.ts';
import { weatherFamily } from './weather/family.ts';

/** Every family, in the order of the API description. A new family is a folder beside these and a line here. */
const list = [
  authFamily,
  gridFamily,
  forecastFamily,
  trajectoryFamily,
  planningFamily,
  telemetryFamily,
  inventoryFamily,
  liveFamily,
  observationsFamily,
  weatherFamily,
  jobsFamily,
  statusFamily,
  pageFamily,
] as const;

/** The list with the exact type of each family, of which `configuration.ts` makes the type of the configuration. */
export type FamilyList = typeof list;

export const families: readonly Family[] = list;

/** Kinds of products of every family. */
export const productKinds = families.flatMap(({ products }) => products?.kinds ?? []);

/** What the routes of every family refer to. */
export const api: Api = {
  scopes: families.flatMap(({ scopes }) => scopes ?? []),
  tags: families.flatMap(({ tags }) => tags ?? []),
  problems: Object.assign(
    {},
    weatherProblems,
    flightFileProblems,
    ...families.map(({ problems }) => problems),
  ),
};

/** What keys can be allowed. */
export const scopes = composeScopes(api.scopes);

/** The routes of every family, ready to be registered. */
export function familyRoutes(services: Services, config: CoreConfig): Routes[] {
  return families.map((family) => async (app) => family.routes?.(app, services, config, loadJobKinds));
}

/** Loads the job kinds of every family; the function returns the subject of a job. */
export async function loadSubjects(): Promise<(job: Pick<JobRecord, 'kind' | 'payload'>) => string> {
  const byName = new Map((await loadJobKinds()).map((kind) => [kind.name, kind]));
  return ({ kind, payload }) => subjectOf(byName.get(kind), payload);
}

async function loadJobKinds(): Promise<readonly JobKind[]> {
  return (await Promise.all(families.map((family) => family.jobKinds?.() ?? []))).flat();
}
