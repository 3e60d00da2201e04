import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { takeHanded } from '../shell/handover.ts';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import type { FlightInput } from '../track.ts';
import { boundsOf } from '../track.ts';
import { computeFlight, FALLBACK_TYPE, loadCrossSection, planResult } from './compute.ts';
import type { CrossSection } from './cross-section.ts';
import { Evolution } from './evolution.tsx';
import { EXPORTS, exportResult } from './exports.ts';
import { FileDrop } from './file-drop.tsx';
import { type Planning, PlanPanel } from './plan-panel.tsx';
import { ProfileChart } from './profile-chart.tsx';
import { contrailShapes, type FlightResult, trackShapes } from './result.ts';
import { RouteForm } from './route-form.tsx';
import { TotalsTable } from './totals.tsx';

const TRACK_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': ['get', 'color'], 'line-width': ['get', 'width'] },
  },
];
const CONTRAIL_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: {
      'line-color': ['get', 'color'],
      'line-width': 4,
      'line-opacity': ['get', 'opacity'],
      'line-blur': 1.5,
    },
  },
];

type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly name: string; readonly progress: number | undefined }
  | { readonly state: 'failed'; readonly message: string };

/** One flight: from a file, a form or telemetry to its contrails. */
export function FlightView() {
  const { stage } = useSession();
  const [choices, setChoices] = useState<readonly FlightInput[]>([]);
  const [isBackground, setBackground] = useState(false);
  const { work, result, section, run, cancel } = useFlightRun(isBackground);
  const { planning, plan } = usePlanning(result);

  useEffect(() => {
    const handed = takeHanded();
    if (handed !== undefined) run(handed);
  }, [run]);

  useEffect(() => {
    if (stage === undefined || result === undefined) return;
    stage.setShapes('contrail', { data: contrailShapes(result.answer), layers: CONTRAIL_LAYERS });
    stage.setShapes('flight', { data: trackShapes(result.points), layers: TRACK_LAYERS });
    const isWide = matchMedia('(min-width: 48rem)').matches;
    const padding = isWide
      ? { left: 380, right: 60, top: 70, bottom: 330 }
      : { left: 20, right: 20, top: 70, bottom: Math.round(innerHeight * 0.62) };
    stage.fit(boundsOf(result.points), padding);
    return () => {
      stage.setShapes('flight', undefined);
      stage.setShapes('contrail', undefined);
    };
  }, [stage, result]);

  return (
    <main class="flight-view">
      <aside class="panel" aria-label="Flight">
        <FileDrop
          onFlights={(flights) => {
            setChoices(flights);
            if (flights[0] !== undefined) run(flights[0]);
          }}
        />
        {choices.length > 1 && (
          <label class="field">
            Flight in the file
            <select
              onChange={(event) => {
                const chosen = choices[Number(event.currentTarget.value)];
                if (chosen !== undefined) run(chosen);
              }}
            >
              {choices.map(({ name }, k) => (
                <option key={name} value={k}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <p class="or">or between two airports</p>
        <RouteForm onFlight={run} />
        <label class="toggle">
          <input
            type="checkbox"
            checked={isBackground}
            onChange={(event) => setBackground(event.currentTarget.checked)}
          />
          Run as a background job
        </label>
        <Progress work={work} onCancel={cancel} />
        {result !== undefined && (
          <ResultPanel result={result}>
            <PlanPanel planning={planning} onPlan={plan} />
          </ResultPanel>
        )}
      </aside>
      {result !== undefined && (
        <section class="flight-foot" aria-label="Profile">
          {stage !== undefined && result.frames.length > 0 && (
            <Evolution key={String(result.answer.flight_id)} stage={stage} frames={result.frames} />
          )}
          <ProfileChart
            points={result.points}
            section={section}
            proposal={planning.state === 'done' ? planning.plan.proposal : []}
          />
        </section>
      )}
    </main>
  );
}

function Progress({ work, onCancel }: { readonly work: Work; readonly onCancel: () => void }) {
  if (work.state === 'idle') return null;
  if (work.state === 'failed') {
    return (
      <p class="error" role="alert">
        {work.message}
      </p>
    );
  }
  const { progress } = work;
  return (
    <div class="progress" role="status">
      <span>Computing {work.name}…</span>
      <progress aria-label="Progress" {...(progress === undefined ? {} : { value: progress })} />
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}

function ResultPanel({
  result,
  children,
}: {
  readonly result: FlightResult;
  readonly children: ComponentChildren;
}) {
  const { stage } = useSession();
  const { flight, answer, points, totals } = result;
  const { warnings = [] } = answer;
  return (
    <section class="result" aria-label="Result">
      <h2>
        {flight.name} <small>{flight.aircraftType ?? `${FALLBACK_TYPE} assumed`}</small>
      </h2>
      <p class="hint">{points[0] === undefined ? '' : timeText(points[0].timeMs)}</p>
      <TotalsTable totals={totals} />
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {children}
      <div class="exports">
        {EXPORTS.map((kind) => (
          <button
            key={kind}
            type="button"
            disabled={stage === undefined}
            onClick={() => stage !== undefined && exportResult(kind, result, stage)}
          >
            {kind}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Runs one flight at a time; another one, or leaving the view, cancels it. */
function useFlightRun(isBackground: boolean) {
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const [result, setResult] = useState<FlightResult>();
  const [section, setSection] = useState<CrossSection>();
  const running = useRef<AbortController>(undefined);
  const background = useRef(isBackground);
  background.current = isBackground;

  const cancel = useCallback(() => {
    running.current?.abort();
    setWork({ state: 'idle' });
  }, []);

  const run = useCallback(async (given: FlightInput) => {
    running.current?.abort();
    const own = new AbortController();
    const { signal } = own;
    running.current = own;
    const { name } = given;
    setWork({ state: 'running', name, progress: undefined });
    try {
      const found = await computeFlight(given, {
        signal,
        onProgress: background.current
          ? (progress) => setWork({ state: 'running', name, progress })
          : undefined,
      });
      if (signal.aborted) return;
      setResult(found);
      setSection(undefined);
      setWork({ state: 'idle' });
      setSection(await loadCrossSection(found.points, signal));
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) setWork({ state: 'failed', message: messageOf(error) });
    }
  }, []);

  useEffect(() => () => running.current?.abort(), []);
  return { work, result, section, run, cancel };
}

/** Compares levels of the result when asked to; another result starts again. */
function usePlanning(result: FlightResult | undefined) {
  const [planning, setPlanning] = useState<Planning>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);

  useEffect(() => {
    setPlanning({ state: 'idle' });
    return () => running.current?.abort();
  }, [result]);

  const plan = useCallback(async () => {
    if (result === undefined) return;
    const own = new AbortController();
    running.current = own;
    setPlanning({ state: 'running' });
    try {
      const found = await planResult(result, own.signal);
      if (!own.signal.aborted) setPlanning({ state: 'done', plan: found });
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) setPlanning({ state: 'failed', message: messageOf(error) });
    }
  }, [result]);

  return { planning, plan };
}
