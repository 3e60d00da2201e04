import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ResultPoint } from '../flight/result.ts';
import { Legend } from '../map/legend.tsx';
import { parseCamera } from '../map/map-state.ts';
import { useMapAddress } from '../shell/map-address.ts';
import { useMetric } from '../shell/metric.ts';
import { useSession } from '../shell/session.ts';
import type { Camera } from '../stage/stage.ts';
import { boundsOf } from '../track.ts';
import { FlightCard } from './flight-card.tsx';
import { skyLegend } from './legend-of-sky.ts';
import { pointsOf } from './live-flight.ts';
import { formatLiveState, type LiveState, parseLiveState } from './live-state.ts';
import { NoSky } from './no-sky.tsx';
import type { Sky } from './sky.ts';
import { SkyPanel } from './sky-panel.tsx';
import { ageText, clockText, flightText, skyProblems, skyText } from './sky-text.ts';
import { SkyTimeline } from './sky-timeline.tsx';
import { useClock, useTicks } from './use-clock.ts';
import { useFlightMarks } from './use-flight-marks.ts';
import { useLiveFlight } from './use-live-flight.ts';
import { usePast } from './use-past.ts';
import { type Link, useSky } from './use-sky.ts';
import { useSkyMarks } from './use-sky-marks.ts';

const HOURS = 4;
/** Aircraft of one region are worth a closer look [deg]. */
const MAX_REGION_DEG = 100;
const NO_POINTS: readonly ResultPoint[] = [];

/** What the view showed last: a visit to another view ends where it began. */
let remembered: { readonly state: LiveState; readonly camera: Camera | undefined } | undefined;

interface LiveViewProps {
  readonly parameters: URLSearchParams;
  /** Something of the sky is on the map. */
  readonly onShown: () => void;
}

/** The sky now: aircraft as they move, the contrails they have left, one flight, and the last hours. */
export function LiveView({ parameters, onShown }: LiveViewProps) {
  const { theme, status } = useSession();
  const metric = useMetric();
  const [state, setState] = useState<LiveState>(
    () => (parameters.size === 0 ? remembered?.state : undefined) ?? parseLiveState(parameters),
  );
  const followed = useRef(parameters);
  const change = useCallback(
    (part: Partial<LiveState>) => setState((before) => ({ ...before, ...part })),
    [],
  );
  const onTime = useCallback((timeMs: number | undefined) => change({ timeMs }), [change]);
  const onChoose = useCallback((flight: string) => change({ flight }), [change]);
  const [isPanelOpen, setPanelOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  const [isPlaying, setPlaying] = useState(false);
  const [pointed, setPointed] = useState<number>();
  const clock = useClock();
  const nowMs = useTicks(clock);

  const live = useSky();
  const { summary } = live.sky;
  const { past, isLoading } = usePast(state.timeMs);
  const sky = (state.timeMs === undefined ? undefined : past?.sky) ?? live.sky;
  const isPast = sky !== live.sky;
  const hasAircraft = live.sky.aircraft.size > 0;
  const shownMs = isPast ? (past?.timeMs ?? nowMs) : nowMs;
  const hovered = useSkyMarks({ sky, state, clock: isPast ? undefined : clock, nowMs: shownMs }, onChoose);
  const aircraft = state.flight === undefined ? undefined : sky.aircraft.get(state.flight);
  const flight = useLiveFlight(state.flight, summary?.time);
  const points = useMemo(
    () => (flight.detail === undefined ? NO_POINTS : pointsOf(flight.detail)),
    [flight.detail],
  );
  useFlightMarks(aircraft, points, pointed === undefined ? undefined : points[pointed]);

  useEffect(() => {
    if (followed.current === parameters) return;
    followed.current = parameters;
    setState(parseLiveState(parameters));
  }, [parameters]);
  useEffect(() => {
    setPointed(undefined);
    if (state.flight !== undefined) setPanelOpen(true);
  }, [state.flight]);
  useEffect(() => {
    if (hasAircraft) onShown();
  }, [hasAircraft, onShown]);
  useCamera(live.sky, parameters);
  useMapAddress('live', state, formatLiveState, remember);
  useEffect(() => {
    if (state.flight === undefined) return;
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) change({ flight: undefined });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [state.flight, change]);

  const problems = summary === undefined ? [] : skyProblems(summary, nowMs);
  const attributions = [...new Set(status?.weather.flatMap(({ attribution }) => attribution ?? []))];
  return (
    <main class="map-view live-view">
      {hovered !== undefined && (
        <p class="tip" style={{ left: `${hovered.x + 14}px`, top: `${hovered.y + 10}px` }}>
          {flightText(hovered.aircraft.facts)}
        </p>
      )}
      <aside class={`panel ${isPanelOpen ? '' : 'closed'}`} aria-label="Live">
        <button
          type="button"
          class="panel-toggle"
          aria-expanded={isPanelOpen}
          onClick={() => setPanelOpen(!isPanelOpen)}
        >
          Sky
        </button>
        {isPanelOpen &&
          (state.flight === undefined ? (
            <SkyPanel sky={sky} state={state} onChange={change} />
          ) : (
            <FlightCard
              key={state.flight}
              aircraft={aircraft}
              flight={flight}
              points={points}
              nowMs={nowMs}
              pointed={pointed}
              onPoint={setPointed}
              onClose={() => change({ flight: undefined })}
            />
          ))}
      </aside>
      <section class="map-title" aria-label="What is in the sky">
        <h2>{summary === undefined ? 'The sky now' : skyText(summary, metric)}</h2>
        <p>{linkText(live.link, live.sky.newestMs, nowMs)}</p>
      </section>
      <div class="map-foot">
        <NoSky link={live.link} summary={summary} behind={live.sky.catchingUp()} />
        <div class="sky-problems" role="status">
          {problems.map((problem) => (
            <p key={problem.slice(0, 20)} class="notice">
              {problem}
            </p>
          ))}
          {past?.error !== undefined && !isPlaying && <p class="notice">{past.error}</p>}
        </div>
        <div class="map-info">
          <span />
          <Legend entries={skyLegend(state, theme)} />
        </div>
        <SkyTimeline
          nowMs={nowMs}
          hours={summary?.hours ?? HOURS}
          timeMs={state.timeMs}
          isPlaying={isPlaying}
          isLoading={isLoading}
          onChange={onTime}
          onPlay={setPlaying}
        />
        <p class="attribution">{attributions.join(' ')}</p>
      </div>
    </main>
  );
}

function linkText({ state }: Link, newestMs: number | undefined, nowMs: number): string {
  const report =
    newestMs === undefined
      ? ''
      : ` Newest report of ${clockText(newestMs)} UTC, ${ageText(nowMs - newestMs)} ago.`;
  if (state === 'lost' || (state === 'waiting' && newestMs !== undefined))
    return `The connection is lost; the page connects again by itself.${report}`;
  if (state === 'open') return `Live.${report}`;
  return state === 'connecting' ? 'Connecting…' : '';
}

/** The part of the world that a link names, else that of the last visit, else where the aircraft are. */
function useCamera(sky: Sky, parameters: URLSearchParams): void {
  const { stage } = useSession();
  const hasCamera = useRef(false);
  useEffect(() => {
    const camera = parseCamera(parameters) ?? remembered?.camera;
    if (camera === undefined || stage === undefined) return;
    hasCamera.current = true;
    stage.moveTo(camera);
  }, [stage, parameters]);
  const { summary } = sky;
  useEffect(() => {
    if (stage === undefined || summary === undefined || hasCamera.current || sky.aircraft.size === 0) return;
    hasCamera.current = true;
    const bounds = boundsOf([...sky.aircraft.values()]);
    const [west, , east] = bounds;
    const padding = matchMedia('(min-width: 48rem)').matches
      ? { left: 320, right: 60, top: 90, bottom: 160 }
      : { left: 20, right: 20, top: 110, bottom: 260 };
    if (east - west < MAX_REGION_DEG) stage.fit(bounds, padding);
  }, [stage, summary, sky]);
}

function remember(state: LiveState, camera: Camera | undefined): void {
  remembered = { state, camera };
}
