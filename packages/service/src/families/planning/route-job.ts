/** Routes as a background job: each is stored as soon as it is there, so a job that is interrupted goes on where it was. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { PlanningServices } from '@contrails/engine/planning/compute';
import type { RouteOptions } from '@contrails/engine/routes/request';
import { toJsonInTurns } from '@contrails/formats/json/writer';
import { defineJob, handleJob, type JobHandler } from '@contrails/platform/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { jobError, newRequestKey, partKeyOf, resultKeyOf } from '@contrails/platform/jobs/results';
import type { UsageRecorder } from '@contrails/platform/keys';
import type { Store } from '@contrails/platform/store';
import { isRecord } from '@contrails/runtime/is-record';
import { Type } from 'typebox';
import type { EnqueueServices } from './job.ts';
import { type GivenRoutes, planOne } from './route-list.ts';

/** Written by the service itself, so its shape needs no second check. */
const payload = Type.Object({ request: Type.String(), routes: Type.Integer() });

/** A client waits for it. */
export const routeKind = defineJob({
  name: 'route',
  payload,
  client: true,
  attempts: 3,
  priority: 900,
  subject: ({ routes }) => (routes === 1 ? '1 route' : `${routes} routes`),
});

interface StoredRoutes {
  readonly given: GivenRoutes;
  readonly route: RouteOptions;
}

export async function enqueueRoutes(
  { jobs, store }: EnqueueServices,
  given: GivenRoutes,
  route: RouteOptions,
  owner: string,
): Promise<string> {
  const key = newRequestKey();
  const stored: StoredRoutes = { given, route };
  await store.put(key, Buffer.from(JSON.stringify(stored, encodeSpecial)));
  const { id } = await jobs.enqueue(routeKind, { request: key, routes: given.bodies.length }, { owner });
  return id;
}

export interface RouteHandlerServices extends PlanningServices {
  readonly store: Pick<Store, 'put' | 'read' | 'head' | 'remove'>;
  readonly usage: Pick<UsageRecorder, 'record'>;
}

export function routeHandler(services: RouteHandlerServices): JobHandler {
  const { store, usage } = services;
  return handleJob(routeKind, async ({ request: key }, { id, owner, signal, progress }) => {
    const { given, route } = await readRequest(store, key);
    const keys = given.bodies.map((_, index) => partKeyOf(id, index));
    let computeMs = 0;
    const onComputeMs = (ms: number) => {
      computeMs += ms;
    };
    const stored = new Set<string>();
    for (const part of keys) if ((await store.head(part)) !== undefined) stored.add(part);
    progress(stored.size / keys.length);
    for (const [index, body] of given.bodies.entries()) {
      signal.throwIfAborted();
      const part = keys[index] as string;
      if (stored.has(part)) continue;
      const answer = await planOne(services, given, body, route, { signal, onComputeMs }).catch(
        (error: unknown) => {
          throw jobError(error);
        },
      );
      await store.put(part, await toJsonInTurns(answer), { signal });
      progress((index + 1) / keys.length);
    }
    const result = Readable.from(joined(store, keys, given.isList), { objectMode: false });
    const { size, sha256 } = await store.put(resultKeyOf(id), result, { signal });
    for (const part of keys) await store.remove(part);
    if (owner !== null)
      usage.record({ keyId: owner, endpoint: 'route job', bytes: 0, computeSeconds: computeMs / 1000 });
    return { size, sha256, warnings: [] };
  }) as JobHandler;
}

async function readRequest(store: Pick<Store, 'read'>, key: string): Promise<StoredRoutes> {
  const stored = await store.read(key);
  if (stored === undefined)
    throw new FinalJobError('the routes of this job are no longer stored; send the request again');
  return JSON.parse((await buffer(stored.body)).toString(), decodeSpecial) as StoredRoutes;
}

/** The answers of all routes as one document, one in memory at a time. */
async function* joined(
  store: Pick<Store, 'read'>,
  keys: readonly string[],
  isList: boolean,
): AsyncGenerator<Uint8Array> {
  if (isList) yield Buffer.from('{"routes":[');
  for (const [index, key] of keys.entries()) {
    const part = await store.read(key);
    if (part === undefined) throw new Error(`${key} was removed while its job ran`);
    if (index > 0) yield Buffer.from(',');
    yield await buffer(part.body);
  }
  if (isList) yield Buffer.from(']}');
}

/** Areas have typed arrays and open ends, which JSON does not. */
function encodeSpecial(_: string, value: unknown): unknown {
  if (value instanceof Float64Array) return { $numbers: [...value] };
  return value === Number.POSITIVE_INFINITY
    ? { $open: 1 }
    : value === Number.NEGATIVE_INFINITY
      ? { $open: -1 }
      : value;
}

function decodeSpecial(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (Array.isArray(value.$numbers)) return Float64Array.from(value.$numbers as number[]);
  return typeof value.$open === 'number' ? value.$open * Number.POSITIVE_INFINITY : value;
}
