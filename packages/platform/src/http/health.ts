import { RefusedError, UnavailableError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import { DamagedDatabaseError } from '../database/sqlite-errors.ts';
import type { App } from './app.ts';
import type { Overload } from './overload.ts';
import { ProblemError } from './problem.ts';

/** Rejects when something the service depends on does not work; a text it returns is reported. */
export type Check = (signal: AbortSignal) => Promise<unknown>;

interface Finding {
  readonly ok: boolean;
  readonly ms: number;
  readonly message?: string;
  /** Former name of `message`; clients may still read it. */
  readonly says?: string;
}

const CHECK_TIMEOUT_MS = 2_000;
/** The endpoint is public, so all requests within this time share one round of checks. */
const FRESH_MS = 1_000;

const status = Type.Object({ status: Type.String() });
const readiness = Type.Object({
  status: Type.String(),
  checks: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      ms: Type.Number(),
      message: Type.Optional(Type.String()),
      says: Type.Optional(Type.String({ deprecated: true, description: 'The same as `message`.' })),
    }),
  ),
});

/** `/healthz`: the process is up. `/readyz`: it can serve, because everything it depends on responds. */
export function serveHealth(app: App, checks: Readonly<Record<string, Check>>, overload: Overload): void {
  const findings = shared(() => runChecks(checks));
  const config = { scope: 'public', vital: true } as const;
  app.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'getHealth',
        tags: ['service'],
        summary: 'Check liveness',
        description: 'Does not check the database, the store or the weather.',
        response: { 200: status },
      },
    },
    (_request, reply) => {
      reply.header('cache-control', 'no-store');
      return { status: 'ok' };
    },
  );
  app.get(
    '/readyz',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        tags: ['service'],
        summary: 'Check readiness',
        description: 'Checks everything the service depends on; a 503 response names what does not respond.',
        response: { 200: readiness },
      },
    },
    async (_request, reply) => {
      const found = await findings();
      const failed = Object.keys(found).filter((name) => found[name]?.ok === false);
      if (overload.isDraining) throw notReady('the server is stopping', found);
      if (failed.length > 0) throw notReady(`not ready: ${failed.join(', ')}`, found);
      reply.header('cache-control', 'no-store');
      return { status: 'ready', checks: found };
    },
  );
}

function notReady(detail: string, checks: Readonly<Record<string, Finding>>): ProblemError {
  return new ProblemError('unavailable', detail, { headers: { 'retry-after': '2' }, members: { checks } });
}

async function runChecks(checks: Readonly<Record<string, Check>>): Promise<Record<string, Finding>> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  );
  return Object.fromEntries(found);
}

async function runCheck(check: Check): Promise<Finding> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const expired = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () => reject(timeout.reason), { once: true });
  });
  const ms = () => Math.round(performance.now() - started);
  try {
    const message = await Promise.race([check(timeout), expired]);
    return { ok: true, ms: ms(), ...(typeof message === 'string' ? { message, says: message } : {}) };
  } catch (error) {
    const message = timeout.aborted ? 'no answer in time' : publicMessage(error);
    return { ok: false, ms: ms(), message, says: message };
  }
}

/** Messages name databases, buckets and folders; those of refusals are written for clients. */
function publicMessage(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (error instanceof DamagedDatabaseError) return 'damaged; run "contrails doctor" on the server';
  return error instanceof UnavailableError ? 'unavailable' : 'failed';
}

/** Callers that come while a run is under way, or shortly after, get its result. */
function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let startedMs = 0;
  return () => {
    if (current === undefined || performance.now() - startedMs > FRESH_MS) {
      startedMs = performance.now();
      current = run();
    }
    return current;
  };
}
