/** Reports on the flights of an operator as background jobs: what a request brings, the work, and its files. */
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { writePack } from '@contrails/engine/mrv/pack';
import type { ScopeRequest } from '@contrails/engine/mrv/scope';
import { writeZip } from '@contrails/formats';
import { defineJob, handleJob, type JobHandler, type Jobs } from '@contrails/platform/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { jobError, newRequestKey, resultKeyOf } from '@contrails/platform/jobs/results';
import type { Store } from '@contrails/platform/store';
import { withWorkspace } from '@contrails/platform/workspace';
import { UsageError, ValidationError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import type { CoreConfig } from '../../config/core.ts';
import type { Services } from '../../services.ts';
import { stageTelemetry } from './mrv-telemetry.ts';

/** Files of a report that are served one by one, and the whole as an archive. */
export const REPORT_FILES = [
  'report.html',
  'flights.csv',
  'flights.parquet',
  'out-of-scope.csv',
  'summary.json',
  'methods.md',
  'manifest.json',
  'pack.zip',
] as const;
export type ReportFileName = (typeof REPORT_FILES)[number];

/** Tables that a request brings, with how their names end. */
export interface SentTable {
  readonly ending: 'csv' | 'parquet';
  readonly bytes: Uint8Array;
}

export interface ReportRequest {
  readonly scope: ScopeRequest;
  readonly flights?: SentTable | undefined;
  readonly trajectories?: SentTable | undefined;
}

const table = Type.Optional(
  Type.Object({
    key: Type.String(),
    /** Part of a path. */
    ending: Type.Unsafe<SentTable['ending']>({ type: 'string', enum: ['csv', 'parquet'] }),
  }),
);

/** Written by the service itself: its shape needs no second check. */
export const reportKind = defineJob({
  name: 'inventory.report',
  payload: Type.Object({
    scope: Type.Unsafe<ScopeRequest>(Type.Object({}, { additionalProperties: true })),
    flights: table,
    trajectories: table,
  }),
  attempts: 3,
  client: true,
  // Before days of the inventory, which may wait for each other for hours.
  priority: 870,
  subject: ({ scope }) => `${scope.operator} ${scope.from} to ${scope.to}`,
});

/** What a finished job keeps. */
export interface ReportResult {
  readonly files: readonly { readonly name: ReportFileName; readonly bytes: number }[];
}

/** Where a file of a report is stored; kept as long as other results. */
export function reportFileKey(jobId: string, name: ReportFileName): string {
  return resultKeyOf(jobId).replace(/\.json$/, `/${name}`);
}

/** Stores the tables and returns the id of the job. */
export async function enqueueReport(
  { jobs, store }: { readonly jobs: Pick<Jobs, 'enqueue'>; readonly store: Pick<Store, 'put'> },
  { scope, flights, trajectories }: ReportRequest,
  owner: string,
): Promise<string> {
  const stored = async (sent: SentTable | undefined) => {
    if (sent === undefined) return undefined;
    const key = newRequestKey();
    await store.put(key, sent.bytes);
    return { key, ending: sent.ending };
  };
  const [ofFlights, ofTracks] = [await stored(flights), await stored(trajectories)];
  const payload = {
    scope,
    ...(ofFlights && { flights: ofFlights }),
    ...(ofTracks && { trajectories: ofTracks }),
  };
  return (await jobs.enqueue(reportKind, payload, { owner })).id;
}

const LIMITS = { memoryMiB: 512, threads: 1 };

type ReportServices = Pick<Services, 'store' | 'met' | 'compute'>;

export function reportHandler(services: ReportServices, config: CoreConfig): JobHandler {
  return handleJob(reportKind, ({ scope, flights, trajectories }, { id, signal, progress }) =>
    withWorkspace(LIMITS, async ({ duckdb, directory }) => {
      const { store } = services;
      const given = async (name: string, sent: typeof flights) => {
        if (sent === undefined) return undefined;
        const path = join(directory, `${name}.${sent.ending}`);
        await copyTo(store, sent.key, path);
        return path;
      };
      const staged = await stageTelemetry(store, { duckdb, directory }, scope);
      const inputs = {
        flights: await given('flights', flights),
        trajectories: await given('trajectories', trajectories),
        ...staged.inputs,
      };
      if (inputs.flights === undefined && inputs.telemetry === undefined)
        throw new FinalJobError(
          `request: no day from ${scope.from} to ${scope.to} has an inventory; send flights and trajectories`,
        );
      const folder = join(directory, 'pack');
      const request = { inputs, scope, folder, force: false, command: 'POST /v1/inventory/reports' };
      await writePack(
        { ...services, duckdb },
        request,
        { ...config.mrv, scaling: config.met.humidity_scaling, accf: config.accf },
        { signal, onProgress: (done, total) => progress(total === 0 ? 1 : done / total) },
      ).catch((error: unknown) => {
        // What is wrong with the tables is named by the path that they have here.
        if (!(error instanceof UsageError)) throw jobError(error);
        const msg = error.message.replaceAll(`${directory}/`, '');
        throw jobError(new ValidationError([{ loc: ['body'], msg, type: 'value_error' }]));
      });
      return { files: await putFiles(store, id, folder, signal) } satisfies ReportResult;
    }),
  ) as JobHandler;
}

async function copyTo(store: Store, key: string, path: string): Promise<void> {
  const stored = await store.read(key);
  if (stored === undefined)
    throw new FinalJobError('the tables of this job are no longer stored; send the request again');
  await writeFile(path, stored.body);
}

async function putFiles(
  store: Store,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<ReportResult['files']> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const entries = names.map((name) => ({ name, read: () => readFile(join(folder, name)) }));
  const files: { name: ReportFileName; bytes: number }[] = [];
  for (const name of REPORT_FILES) {
    const body =
      name === 'pack.zip'
        ? Readable.from(writeZip(entries), { objectMode: false })
        : createReadStream(join(folder, name));
    const { size } = await store.put(reportFileKey(id, name), body, { signal });
    files.push({ name, bytes: size });
  }
  await store.put(resultKeyOf(id), Buffer.from(JSON.stringify({ files })), { signal });
  return files;
}
