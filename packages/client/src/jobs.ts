/** Work that goes on at the service while the client waits for it. */
import { ContrailsError } from './error.ts';
import { readJson } from './json.ts';
import { pause, type Transport } from './transport.ts';
import type { AcceptedJob, Job } from './types.ts';

export interface JobProgress {
  readonly jobId: string;
  readonly state: Job['state'];
  /** From 0 to 1. */
  readonly fraction: number;
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when state or fraction change. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

/** Small jobs end at once: the first questions come sooner than the service suggests for long ones [ms]. */
const FIRST_PAUSE_MS = 100;
const DEFAULT_PAUSE_S = 2;
/** A restart of the service takes longer than the retries of an ordinary request. */
const ATTEMPTS = 10;
const CANCEL_TIMEOUT_MS = 10_000;

/** Waits until a job is done and returns it with its result. Aborting cancels it. */
export async function waitForJob(transport: Transport, id: string, options: WaitOptions): Promise<Job> {
  try {
    return await pollJob(transport, id, options);
  } catch (error) {
    if (!(error instanceof ContrailsError)) {
      await cancelJob(transport, id).catch(() => undefined);
      throw error;
    }
    if (error.jobId !== undefined || error.code !== 'network') throw error;
    const { code, request, cause } = error;
    throw new ContrailsError(
      `${error.message}; the job goes on: wait for it with client.jobs.wait('${id}')`,
      {
        code,
        request,
        jobId: id,
        cause,
      },
    );
  }
}

async function pollJob(transport: Transport, id: string, { signal, onProgress }: WaitOptions): Promise<Job> {
  let last: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const { job, retryAfterS } = await fetchJob(transport, id, signal);
    const { state, progress } = job;
    if (last !== `${state} ${progress}`) onProgress?.({ jobId: id, state, fraction: progress });
    last = `${state} ${progress}`;
    // The caller may just have aborted it.
    signal?.throwIfAborted();
    if (state === 'done') return job;
    if (state === 'failed' || state === 'cancelled') throw endedWithout(transport, job);
    await pause(Math.min(pauseMs, retryAfterS * 1000), signal);
  }
}

function fetchJob(transport: Transport, id: string, signal: AbortSignal | undefined) {
  const exchange = { method: 'GET', path: jobPath(id), signal, attempts: ATTEMPTS } as const;
  return transport.send(exchange, async (response) => ({
    job: await readJson<Job>(response),
    retryAfterS: Number(response.headers.get('retry-after') ?? DEFAULT_PAUSE_S),
  }));
}

function endedWithout({ base }: Transport, { id, state, error }: Job): ContrailsError {
  const isFailed = state === 'failed';
  return new ContrailsError(
    isFailed
      ? `the job ${id} failed: ${error ?? 'the service does not report why'}`
      : `the job ${id} was cancelled; send the request again`,
    {
      code: isFailed ? 'job-failed' : 'job-cancelled',
      request: `GET ${base}${jobPath(id).slice(1)}`,
      jobId: id,
    },
  );
}

/**
 * Sends a request that creates a job and waits for it. The request itself is not aborted: only its answer has the id by
 * which the job can be cancelled.
 */
export async function runJob(
  transport: Transport,
  submit: () => Promise<AcceptedJob>,
  options: WaitOptions,
): Promise<Job> {
  const { signal } = options;
  signal?.throwIfAborted();
  const submitted = submit();
  const { id } = await unlessAborted(submitted, signal).catch((error: unknown) => {
    if (signal?.aborted) {
      submitted.then(({ id: late }) => cancelJob(transport, late)).catch(() => undefined);
    }
    throw error;
  });
  return waitForJob(transport, id, options);
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

export async function cancelJob(
  transport: Transport,
  id: string,
  signal: AbortSignal = AbortSignal.timeout(CANCEL_TIMEOUT_MS),
): Promise<void> {
  const exchange = { method: 'DELETE', path: jobPath(id), signal, keepalive: true } as const;
  await transport.send(exchange, async (response) => response.body?.cancel());
}

export function jobPath(id: string): string {
  return `/v0/jobs/${encodeURIComponent(id)}`;
}
