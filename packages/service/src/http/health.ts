import { Type } from 'typebox';
import { UnavailableError } from '../errors.ts';
import type { App } from './app.ts';
import type { Overload } from './overload.ts';
import { ProblemError } from './problem.ts';

/** Rejects when a part the service stands on cannot do its work; a text it returns is reported. */
export type Check = (signal: AbortSignal) => Promise<unknown>;

interface Finding {
  readonly ok: boolean;
  readonly ms: number;
  readonly says?: string;
}

const CHECK_TIMEOUT_MS = 2_000;
/** Anyone may ask, so one round of checks answers all who ask within this time. */
const FRESH_MS = 1_000;

const status = Type.Object({ status: Type.String() });
const readiness = Type.Object({
  status: Type.String(),
  checks: Type.Record(
    Type.String(),
    Type.Object({ ok: Type.Boolean(), ms: Type.Number(), says: Type.Optional(Type.String()) }),
  ),
});

/** `/healthz`: the process is up. `/readyz`: it can serve, because everything it stands on answers. */
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
        summary: 'Is the process up?',
        description: 'Answers without asking the database, the store or the weather.',
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
        summary: 'Can it serve?',
        description: 'Asks everything the service stands on; 503 names what does not answer.',
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
    const says = await Promise.race([check(timeout), expired]);
    return { ok: true, ms: ms(), ...(typeof says === 'string' ? { says } : {}) };
  } catch (error) {
    const says = timeout.aborted
      ? 'no answer in time'
      : error instanceof UnavailableError
        ? 'unavailable'
        : 'failed';
    return { ok: false, ms: ms(), says };
  }
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
