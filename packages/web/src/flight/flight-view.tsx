import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Legend } from '../map/legend.tsx';
import { takeHanded } from '../shell/handover.ts';
import { useMetric } from '../shell/metric.ts';
import { replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { timeText } from '../text.ts';
import type { FlightInput } from '../track.ts';
import { tankWarning } from './aircraft-limits.ts';
import { ClimatePanel } from './climate-panel.tsx';
import { FALLBACK_TYPE } from './compute.ts';
import { Evolution } from './evolution.tsx';
import { EXPORTS, exportResult } from './exports.ts';
import { FileDrop, NO_FILES } from './file-drop.tsx';
import { flightLegend } from './flight-legend.ts';
import { choiceOf, formatRoute, linkedRoute, parseRoute } from './flight-link.ts';
import type { PlanPoint } from './plan.ts';
import { PlanPanel } from './plan-panel.tsx';
import { changedSettings, type PlanSettings, parseSettings } from './plan-settings.ts';
import { ProfileChart } from './profile-chart.tsx';
import type { FlightResult } from './result.ts';
import { type RoutePlan, routeFlight } from './route-flight.ts';
import { RouteForm } from './route-form.tsx';
import { RoutePanel } from './route-panel.tsx';
import { TotalsTable } from './totals.tsx';
import { useFlightRun, usePlanning, type Work } from './use-flight-run.ts';
import { useFlightShapes } from './use-flight-shapes.ts';
import { flightParameters, useLinkedFlight } from './use-linked-flight.ts';
import { useRouteSearch } from './use-route-search.ts';
import { useRouteShapes } from './use-route-shapes.ts';

const NO_PROPOSAL: readonly PlanPoint[] = [];

/** One flight: from a file, a form, a link or telemetry to its contrails and to a better level. */
export function FlightView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { stage, status, key } = useSession();
  const [choices, setChoices] = useState<readonly FlightInput[]>([]);
  const [isBackground, setBackground] = useState(false);
  const metric = useMetric();
  const [own, setSettings] = useState<PlanSettings>(() => parseSettings(parameters));
  const settings = useMemo(() => ({ ...own, ...metric }), [own, metric]);
  /** The route that is computed, where the flight is one. */
  const [route, setRoute] = useState<RoutePlan>();
  /** How the address names the flight: files have no name there. Undefined until there is a flight. */
  const [named, setNamed] = useState<[name: string, value: string][]>();
  const [pointed, setPointed] = useState<number>();
  /** Whether the form was opened or closed by hand for this result. */
  const [toggled, setToggled] = useState<{
    readonly of?: FlightResult | undefined;
    readonly isOpen: boolean;
  }>();
  const { work, result, section, run, cancel, clear } = useFlightRun(isBackground, status);
  const { planning, plan } = usePlanning(result, settings);
  const routes = useRouteSearch(result, settings);
  /** The flight, or the route that is selected in its place. */
  const shown = routes.shown?.result ?? result;
  const [files, setFiles] = useState(NO_FILES);
  const initial = useMemo(
    () => (route === undefined ? parseRoute(parameters, Date.now()) : choiceOf(route)),
    [parameters, route],
  );
  useFlightShapes(shown, pointed, setPointed);
  useRouteShapes(routes.search.routes);
  useEffect(() => setPointed(undefined), [shown]);
  // What was computed comes before the form for another flight.
  const isFormOpen = toggled !== undefined && toggled.of === result ? toggled.isOpen : result === undefined;

  const runFlight = useCallback(
    (flight: FlightInput, from?: RoutePlan, link = from === undefined ? [] : formatRoute(from)) => {
      setRoute(from);
      setNamed(link);
      setPointed(undefined);
      run(flight);
    },
    [run],
  );
  const runRoute = useCallback((chosen: RoutePlan) => runFlight(routeFlight(chosen), chosen), [runFlight]);
  const linkError = useLinkedFlight(
    parameters,
    useCallback(
      (flight) => runFlight(flight, undefined, flightParameters(parameters)),
      [parameters, runFlight],
    ),
  );

  useEffect(() => {
    if (key !== 'present') return;
    const handed = takeHanded();
    if (handed !== undefined) {
      runFlight(handed);
      return;
    }
    let isCurrent = true;
    setSettings(parseSettings(parameters));
    if (flightParameters(parameters).length > 0) setNamed(undefined);
    linkedRoute(parameters).then(
      (linked) => {
        if (isCurrent && linked !== undefined) runRoute(linked);
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [key, parameters, runFlight, runRoute]);

  useEffect(() => {
    if (work.state === 'running' || named === undefined) return;
    replaceParameters('flight', new URLSearchParams([...named, ...changedSettings(settings)]));
  }, [named, settings, work.state]);

  return (
    <main class="flight-view">
      {/* What appears above others is new with them: nothing that is read moves. */}
      <aside class="panel" aria-label="Flight" key={result === undefined ? 'form' : 'result'}>
        {result !== undefined && (
          <ResultPanel result={result}>
            <PlanPanel planning={planning} settings={settings} onSettings={setSettings} onPlan={plan} />
            <RoutePanel
              key={planning.plan}
              search={routes.search}
              settings={settings}
              onSearch={routes.start}
              onCancel={routes.cancel}
              onSelect={routes.select}
            />
          </ResultPanel>
        )}
        <details
          key={planning.plan === undefined ? 'first' : 'after a plan'}
          class="inputs"
          open={isFormOpen}
          onToggle={(event) => setToggled({ of: result, isOpen: event.currentTarget.open })}
        >
          <summary>{result === undefined ? 'A flight' : 'Another flight'}</summary>
          <FileDrop
            report={files}
            onReport={setFiles}
            onFlights={(flights) => {
              setChoices(flights);
              if (flights[0] !== undefined) runFlight(flights[0]);
            }}
            onFailure={() => {
              setChoices([]);
              setRoute(undefined);
              setNamed([]);
              clear();
            }}
          />
          {choices.length > 1 && (
            <label class="field">
              Flight in the file
              <select
                onChange={(event) => {
                  const chosen = choices[Number(event.currentTarget.value)];
                  if (chosen !== undefined) runFlight(chosen);
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
          <RouteForm key={formKey(initial)} initial={initial} onRoute={runRoute} />
          <label class="toggle">
            <input
              type="checkbox"
              checked={isBackground}
              onChange={(event) => setBackground(event.currentTarget.checked)}
            />
            Run as a background job
          </label>
        </details>
        <Progress work={work} onCancel={cancel} />
        {linkError !== undefined && (
          <p class="error" role="alert">
            {linkError}
          </p>
        )}
      </aside>
      {shown !== undefined && (
        <section class="flight-foot" aria-label="Profile" key={routes.shown?.id ?? 'flight'}>
          <Legend entries={flightLegend(shown, routes.search.routes !== undefined)} />
          {stage !== undefined && shown.frames.length > 0 && (
            <Evolution
              key={`${shown.answer.flight_id} ${routes.shown?.id ?? ''}`}
              stage={stage}
              frames={shown.frames}
            />
          )}
          <ProfileChart
            points={shown.points}
            section={routes.shown === undefined ? section : routes.shown.section}
            proposal={(routes.shown === undefined && planning.plan?.proposal) || NO_PROPOSAL}
            pointed={pointed}
            onPoint={setPointed}
          />
        </section>
      )}
    </main>
  );
}

function formKey(choice: object): string {
  return Object.values(choice).join(' ');
}

function Progress({ work, onCancel }: { readonly work: Work; readonly onCancel: () => void }) {
  if (work.state === 'idle') return null;
  if (work.state === 'failed') {
    return (
      <div class="error" role="alert" ref={(element) => element?.scrollIntoView({ block: 'nearest' })}>
        {work.meaning !== undefined && <p>{work.meaning}</p>}
        <p class={work.meaning === undefined ? '' : 'technical'}>{work.message}</p>
      </div>
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
  const tank = tankWarning(flight.aircraftType, totals.fuelKg);
  const warnings = [
    ...(flight.notes ?? []),
    ...(tank === undefined ? [] : [tank]),
    ...(answer.warnings ?? []),
  ];
  return (
    <section class="result" aria-label="Result">
      <h2>
        {flight.name} <small>{flight.aircraftType ?? `${FALLBACK_TYPE} assumed`}</small>
      </h2>
      <p class="hint">{points[0] === undefined ? '' : timeText(points[0].timeMs)}</p>
      <TotalsTable totals={totals} />
      <ClimatePanel result={result} />
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
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
      {children}
    </section>
  );
}
