import type { JobList, Readiness, ServiceStatus } from '@contrails/client';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { messageOf, service } from '../service.ts';
import { useSession } from '../shell/session.ts';
import { bytesText, NO_WEATHER, timeText } from '../text.ts';
import {
  durationText,
  failuresOf,
  forecastSentence,
  framesSentence,
  inventorySentence,
  telemetrySentence,
  type WorkSentence,
} from './work-sentences.ts';

const REFRESH_MS = 3_000;

/** Health, weather, products and jobs of the service. */
export function StatusView() {
  const { status, isReachable, key } = useSession();
  const checks = useChecks();
  const own = useOwnJobs();
  const work = useWork();
  // All at once: what comes later would move the rest.
  const hasJobs = key !== 'present' || own.jobs !== undefined || own.error !== undefined;
  if (
    isReachable &&
    (status === undefined || checks === undefined || !hasJobs || (key === 'present' && work === undefined))
  ) {
    return (
      <main class="page">
        <p aria-busy="true">Loading…</p>
      </main>
    );
  }
  return (
    <main class="page">
      <div class="columns">
        <WorkPanel work={[...(work ?? []), ...(status ? [telemetrySentence(status)] : [])]} status={status} />
        <Health checks={checks} isReachable={isReachable} />
        <OwnJobs {...own} />
        <section>
          <h2>Weather</h2>
          {status?.weather.length === 0 && <p>{NO_WEATHER}</p>}
          {status?.weather.map((source) => (
            <article key={source.name} class="source">
              <h3>
                {source.name} {source.synthetic && <span class="mark">synthetic</span>}
              </h3>
              <p>
                {source.error ??
                  [source.provider, source.dataset, source.product].filter(Boolean).join(' · ')}
              </p>
              {source.attribution !== undefined && <p>{source.attribution}</p>}
              <ul>
                {source.runs.map((run) => (
                  <li key={run.type}>
                    {run.type}: {timeText(run.first)} to {timeText(run.last)}
                    {run.forecast_reference_time !== undefined &&
                      `, run of ${timeText(run.forecast_reference_time)}`}
                  </li>
                ))}
              </ul>
            </article>
          ))}
          {status?.sync.map(({ source, run, age_seconds, missing, bytes, next_look, error }) => (
            <article key={source} class="source">
              <h3>{source} is kept up to date</h3>
              <p>
                {run === null
                  ? 'No run yet'
                  : `Run of ${timeText(run)}, ${durationText(1000 * (age_seconds ?? 0))} old`}
              </p>
              {error !== null && <p class="error">{error}</p>}
              <ul>
                <li>{bytesText(bytes)} received</li>
                <li>next look {timeText(next_look)}</li>
                {missing.length > 0 && <li>without {missing.join(', ')}</li>}
              </ul>
            </article>
          ))}
        </section>
        <section>
          <h2>Versions</h2>
          <dl class="facts">
            <dt>Service and models</dt>
            <dd>{status?.version ?? '…'}</dd>
            <dt>Runs on</dt>
            <dd>{status?.runtime ?? '…'}</dd>
            <dt>Clock</dt>
            <dd>{status === undefined ? '…' : timeText(status.time)}</dd>
          </dl>
          <p>
            <a href="docs">Manual</a> · <a href="openapi">API</a> ·{' '}
            <a href="openapi.json">OpenAPI description</a> · <a href="problems">What errors mean</a>
          </p>
        </section>
        <section class="wide">
          <h2>Products</h2>
          {status?.products.length === 0 && (
            <p>
              None yet. Hours of the forecast, days of the inventory and satellite images are listed here.
            </p>
          )}
          <div class="scroll" hidden={status?.products.length === 0}>
            <table>
              <thead>
                <tr>
                  <th>Kind</th>
                  <th class="number">Files</th>
                  <th class="number">Size</th>
                  <th>From</th>
                  <th>To</th>
                </tr>
              </thead>
              <tbody>
                {status?.products.map(({ kind, files, bytes, first, last }) => (
                  <tr key={kind}>
                    <th scope="row">{kind}</th>
                    <td class="number">{files}</td>
                    <td class="number">{bytesText(bytes)}</td>
                    <td>{first === null ? '–' : timeText(first)}</td>
                    <td>{last === null ? '–' : timeText(last)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      </div>
    </main>
  );
}

/** What the service works on and what failed of it, in words; the jobs below are for those who look closer. */
function WorkPanel({
  work,
  status,
}: {
  readonly work: readonly WorkSentence[];
  readonly status: ServiceStatus | undefined;
}) {
  const failures = status === undefined ? [] : failuresOf(status);
  return (
    <section class="changing wide">
      <h2>Work</h2>
      <ul class="checks work">
        {work.map(({ family, text, state }) => (
          <li key={family} class={state}>
            <b>{family}</b> {text}
          </li>
        ))}
      </ul>
      {failures.length > 0 && (
        <>
          <h3>What failed</h3>
          <ul class="failures">
            {failures.map(({ kind, error, count, ended, remedy }) => (
              <li key={`${kind} ${error}`}>
                <b>
                  {kind}
                  {count > 1 && `, ${count} times`}
                </b>{' '}
                {ended !== null && <small>{timeText(ended)}</small>}
                <p class="error">{error}</p>
                <p>{remedy}</p>
              </li>
            ))}
          </ul>
        </>
      )}
      {status !== undefined && (
        <details>
          <summary>
            Jobs: {status.jobs.counts.running} running, {status.jobs.counts.queued} queued
          </summary>
          <ul class="counts">
            {Object.entries(status.jobs.counts).map(([state, count]) => (
              <li key={state}>
                <b>{count.toLocaleString('en')}</b> {state}
              </li>
            ))}
          </ul>
          <ul class="running">
            {status.jobs.running.map(({ kind, progress, started }, k) => (
              <li key={`${kind} ${started} ${k}`}>
                <span>{kind}</span>
                <progress value={progress} aria-label={`${kind}, ${Math.round(100 * progress)} %`} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const WORK_MS = 15_000;

/** Sentences of the families that the key may read. */
function useWork(): readonly WorkSentence[] | undefined {
  const { key, connection } = useSession();
  const [work, setWork] = useState<readonly WorkSentence[]>();
  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const refresh = async () => {
      const nowMs = Date.now();
      const found = await Promise.allSettled([
        service.forecast.runs({}, { signal }).then((runs) => forecastSentence(runs, nowMs)),
        service.inventory.dates({ signal }).then(inventorySentence),
        service.observations.frames({}, { signal }).then(framesSentence),
      ]);
      if (signal.aborted) return;
      setWork(found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    };
    void refresh();
    const timer = setInterval(refresh, WORK_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [key, connection]);
  return work;
}

type Checks = Readiness['checks'] | undefined;

function useChecks(): Checks {
  const [checks, setChecks] = useState<Checks>();
  useEffect(() => {
    const refresh = () =>
      service.status.readiness().then(
        (found) => setChecks(found.checks),
        () => undefined,
      );
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return checks;
}

function Health({ checks, isReachable }: { checks: Checks; isReachable: boolean }) {
  return (
    <section>
      <h2>Health</h2>
      <ul class="checks">
        {!isReachable && <li class="failed">service: does not respond</li>}
        {isReachable &&
          Object.entries(checks ?? {}).map(([name, { ok, message }]) => (
            <li key={name} class={ok ? 'ok' : 'failed'}>
              {name} {ok ? 'ok' : (message ?? 'failed')}
            </li>
          ))}
      </ul>
    </section>
  );
}

interface OwnJobsState {
  readonly jobs: JobList['jobs'] | undefined;
  readonly error: string | undefined;
  cancel(id: string): Promise<void>;
}

function useOwnJobs(): OwnJobsState {
  const { key, connection } = useSession();
  const [jobs, setJobs] = useState<JobList['jobs']>();
  const [error, setError] = useState<string>();

  const refresh = useCallback(
    (signal?: AbortSignal) =>
      service.jobs.list({ signal }).then(
        (found) => {
          setJobs(found.jobs);
          setError(undefined);
        },
        (problem: unknown) => {
          if (!signal?.aborted) setError(messageOf(problem));
        },
      ),
    [],
  );

  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    refresh(stopped.signal);
    const timer = setInterval(() => refresh(stopped.signal), REFRESH_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [key, connection, refresh]);

  const cancel = async (id: string) => {
    try {
      await service.jobs.cancel(id);
    } catch (problem) {
      setError(messageOf(problem));
    }
    await refresh();
  };
  return { jobs, error, cancel };
}

function OwnJobs({ jobs, error, cancel }: OwnJobsState) {
  return (
    <section class="changing">
      <h2>Your jobs</h2>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {jobs?.length === 0 && <p>None yet. A flight that runs in the background is listed here.</p>}
      <ul class="running">
        {jobs?.map(({ id, kind, state, progress, created, error: reason }) => (
          <li key={id}>
            <span>
              {kind}, {state}
              <small>{created === null ? '' : timeText(created)}</small>
              {reason !== undefined && state === 'failed' && <small class="error">{reason}</small>}
            </span>
            <progress value={progress} aria-label={`${kind}, ${Math.round(100 * progress)} %`} />
            {(state === 'running' || state === 'queued' || state === 'waiting') && (
              <button type="button" onClick={() => cancel(id)}>
                Cancel
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
