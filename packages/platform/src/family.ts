/**
 * The contract of a family of endpoints. A family is one folder that exports one object of this shape, and one line in the
 * list of families of its service; everything that a process does for families iterates over that list.
 *
 * The object is read by every command, also by those that only need the configuration. So it imports its schema and
 * migrations and loads the rest (`await import(…)`) when one of its functions is called.
 */
import type { TSchema } from 'typebox';
import type { Database, Queryable } from './database/database.ts';
import type { Migration } from './database/migrate.ts';
import type { Finding } from './finding.ts';
import type { Tag } from './http/api.ts';
import type { App } from './http/app.ts';
import type { ProblemKinds } from './http/problem.ts';
import type { JobHandler, JobKind, JobRequest, Jobs, MaintenanceTask } from './jobs/index.ts';
import type { ScopeEntry } from './keys/index.ts';
import type { Log } from './log.ts';
import type { ProductKind } from './products/kinds.ts';
import type { LostProduct } from './products/lost.ts';
import type { KeepPolicy } from './products/prune.ts';

/** `Services` are the objects that a process is wired from, `Config` the sections of the configuration that the family reads. */
export interface Family<Services extends FamilyServices, Config> {
  /** Also the name of its section of the configuration. */
  readonly name: string;
  /** Its section of the configuration; `docs/configuration.md` is generated from it. */
  readonly config?: TSchema;
  /** Its steps of the database schema; append only. */
  readonly migrations?: readonly Migration[];
  readonly products?: FamilyProducts<Config>;
  /** What its endpoints ask of keys. */
  readonly scopes?: readonly ScopeEntry[];
  /** Groups of its endpoints in the description of the API. */
  readonly tags?: readonly Tag[];
  /** Errors that only its endpoints return, by the reason of the refusal. */
  readonly problems?: ProblemKinds;
  /** Declares its endpoints. `jobKinds` loads the kinds of jobs of every family. */
  routes?(
    app: App,
    services: Services,
    config: Config,
    jobKinds: () => Promise<readonly JobKind[]>,
  ): Promise<void>;
  /** Kinds of its background jobs, with their priorities and subjects. */
  jobKinds?(): Promise<readonly JobKind[]>;
  /** Handlers of its background jobs. */
  jobs?(services: Services, config: Config): Promise<readonly JobHandler[]>;
  /** Registers what workers do on a schedule; called by every worker that starts. */
  schedules?(services: Services, config: Config): Promise<void>;
  /** Starts the background work of every worker, such as feeds; called by every worker that starts. */
  background?(services: Services, config: Config, log: Log): Promise<Background>;
  /** What the hourly maintenance job does for the family, by name; each returns how many items it removed. */
  maintenance?(services: Services, config: Config): Readonly<Record<string, MaintenanceTask>>;
  metrics?(services: Pick<FamilyServices, 'database'>): readonly FamilyMetric[];
  readonly doctor?: FamilyDoctor;
  readonly demo?: FamilyDemo<Config>;
}

/** What every service has for its families. */
export interface FamilyServices {
  readonly database: Database;
  readonly jobs: Jobs;
}

/** Products that the family computes ahead of requests and publishes in the catalogue. */
export interface FamilyProducts<Config> {
  /** The upkeep of a family covers only these. */
  readonly kinds: readonly ProductKind[];
  /** How long they are kept. */
  keep(config: Config): KeepPolicy;
  /** Plans products again whose file is missing or damaged; returns how many of them are planned by this call. */
  recompute(services: Pick<FamilyServices, 'jobs'>, lost: readonly LostProduct[]): Promise<number>;
}

/** A gauge of `/metrics`: one value, or one for each value of its label. */
export interface FamilyMetric {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  read(): Promise<number | Readonly<Record<string, number>>>;
}

/** Work that goes on until it is stopped. */
export interface Background {
  stop(): Promise<void>;
}

export interface FamilyDoctor {
  /** Findings on what the database holds of the family; its schema is up to date. */
  checkDatabase?(database: Queryable): Promise<readonly Finding[]>;
}

/** A request of a client; with a body it is posted as JSON. */
export interface DemoRequest {
  readonly path: string;
  readonly body?: object;
}

/** What the demo of the service does for the family. */
export interface FamilyDemo<Config> {
  /** Settings of its section that suit made-up data, given its section. They replace defaults, never what is set. */
  settings?(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What people ask for first. The demo asks once before jobs begin, so weather and code are ready. */
  firstRequests?(nowMs: number): readonly DemoRequest[];
  /** Jobs besides the family's scheduled ones. */
  jobs?(config: Config, nowMs: number): Promise<readonly JobRequest[]>;
  /** Lines that show how to try the family. */
  lines?(address: string, key: string): readonly string[];
}
