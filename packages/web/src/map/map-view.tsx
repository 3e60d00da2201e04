import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { useMapAddress } from '../shell/map-address.ts';
import { useSession } from '../shell/session.ts';
import { NO_WEATHER, timeText } from '../text.ts';
import { boundsOf } from '../track.ts';
import { SCALING_NAMES, sourceText, titleOf } from './layer-names.ts';
import { LayersPanel } from './layers-panel.tsx';
import { Legend } from './legend.tsx';
import { legendEntries } from './legend-entries.ts';
import { LevelSlider } from './level-slider.tsx';
import { lastMap, rememberMap } from './map-memory.ts';
import { formatMapState, HOUR_MS, hourText, type MapState, parseCamera, parseMapState } from './map-state.ts';
import { MapTitle } from './map-title.tsx';
import { pictureOf } from './picture.ts';
import { Readout } from './readout.tsx';
import { Timeline } from './timeline.tsx';
import { TrafficPanel, TrafficTip } from './traffic-panel.tsx';
import { useComputed } from './use-computed.ts';
import { type ForecastRun, NO_RUN, useHours, useLayers } from './use-layers.ts';
import { useSatellite } from './use-satellite.ts';
import { useTraffic } from './use-traffic.ts';

/** What the panels cover [px]. */
const MAP_PADDING = { left: 40, right: 90, top: 110, bottom: 200 };

interface MapViewProps {
  readonly parameters: URLSearchParams;
  /** A field is on the map. */
  readonly onShown: () => void;
}

/** The forecast on the map: layers, level, hour and the value under the pointer. */
export function MapView({ parameters, onShown }: MapViewProps) {
  const { stage, key, connection, status, theme } = useSession();
  const [state, setState] = useState<MapState>(
    () => (parameters.size === 0 ? lastMap()?.state : undefined) ?? parseMapState(parameters),
  );
  /** Of the link that the state began with. */
  const followed = useRef(parameters);
  const [run, setRun] = useState<ForecastRun>(NO_RUN);
  const { hours } = run;
  const [isPlaying, setPlaying] = useState(false);
  const [isPanelOpen, setPanelOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  const timeMs = state.timeMs ?? Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const change = useCallback((part: Partial<MapState>) => setState((before) => ({ ...before, ...part })), []);
  const onTime = useCallback((chosen: number) => change({ timeMs: chosen }), [change]);

  const hasNoWeather = status?.weather.length === 0;
  /** Lines that the providers of the weather require. */
  const attributions = [...new Set(status?.weather.flatMap(({ attribution }) => attribution ?? []))];

  useEffect(() => {
    if (followed.current === parameters) return;
    followed.current = parameters;
    setState(parseMapState(parameters));
  }, [parameters]);
  useEffect(() => {
    const camera = parseCamera(parameters) ?? lastMap()?.camera;
    if (camera !== undefined) stage?.moveTo(camera);
  }, [stage, parameters]);

  useHours(key === 'present', connection, state.aircraftClass, setRun);
  const computed = useComputed(state, timeMs);
  const { result } = computed;
  const isHere = result !== undefined;
  const { shown, isMeant, error, isLoading } = useLayers(state, timeMs, hours, {
    grid: result?.grid,
    isAwaited: computed.isAwaited,
  });
  useEffect(() => {
    if (shown?.field !== undefined) onShown();
  }, [shown, onShown]);
  const onAircraft = useCallback((aircraft: string) => change({ aircraft }), [change]);
  const traffic = useTraffic(state, timeMs, onAircraft);
  const seen = useSatellite(state.segments, state.detections, timeMs);

  useMapAddress('map', state, formatMapState, rememberMap);

  const weatherSource = sourceText(status, timeMs, state.layer === 'index' ? run.reference : undefined);
  const source = result
    ? `${weatherSource}; humidity ${SCALING_NAMES[result.request.scaling]}; ${result.device}`
    : weatherSource;
  // Where motion is reduced, no particles show the wind.
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const legend = legendEntries({ ...state, wind: state.wind && !isStill }, theme, isHere);
  const picture = async () => {
    if (stage === undefined) return;
    const at = shown ?? { state, timeMs };
    const lines = [
      `FL${at.state.flightLevel}, ${timeText(at.timeMs)}`,
      source,
      traffic.notice,
      seen.notice,
      ...attributions,
    ];
    const blob = await pictureOf(stage, {
      title: titleOf(state, isHere),
      lines: lines.flatMap((line) => line || []),
      legend,
    });
    saveFile(
      `contrails-${state.layer}-fl${at.state.flightLevel}-${hourText(at.timeMs)}.png`,
      'image/png',
      blob,
    );
  };

  return (
    <main class="map-view">
      {traffic.hovered !== undefined && <TrafficTip {...traffic.hovered} />}
      <aside class={`panel ${isPanelOpen ? '' : 'closed'}`} aria-label="Layers">
        <button
          type="button"
          class="panel-toggle"
          aria-expanded={isPanelOpen}
          onClick={() => setPanelOpen(!isPanelOpen)}
        >
          Layers
        </button>
        {isPanelOpen && <LayersPanel state={state} timeMs={timeMs} computed={computed} onChange={change} />}
      </aside>
      <MapTitle
        state={state}
        timeMs={timeMs}
        shown={isMeant ? shown && { flightLevel: shown.state.flightLevel, timeMs: shown.timeMs } : undefined}
        isLoading={isLoading && error === undefined}
        source={source}
        isHere={isHere}
        onPicture={stage && picture}
      />
      <LevelSlider
        level={state.flightLevel}
        isLoading={isLoading}
        onChange={(flightLevel) => change({ flightLevel })}
      />
      <div class="map-foot">
        {(error !== undefined || hasNoWeather) && (
          <p class="notice" role="status">
            {hasNoWeather ? NO_WEATHER : error}
          </p>
        )}
        {traffic.notice !== undefined && (
          <p class="notice" role="status">
            {traffic.notice}
          </p>
        )}
        {seen.notice !== undefined && (
          <p class="notice" role="status">
            {seen.notice}{' '}
            {seen.area !== undefined && (
              <button type="button" onClick={() => stage?.fit(boundsOf(seen.area ?? []), MAP_PADDING)}>
                Zoom to the imaged area
              </button>
            )}
          </p>
        )}
        <TrafficPanel
          tracks={traffic.tracks}
          chosen={traffic.chosen}
          onChoose={(track) => {
            change({ aircraft: track?.id });
            if (track !== undefined) stage?.fit(boundsOf(track.points), MAP_PADDING);
          }}
        />
        <div class="map-info">
          {stage !== undefined && (
            <Readout
              stage={stage}
              layer={state.layer}
              flightLevel={shown?.state.flightLevel ?? state.flightLevel}
              field={isMeant ? shown?.field : undefined}
              weather={shown?.weather}
            />
          )}
          <Legend entries={legend} />
        </div>
        <Timeline
          hours={hours}
          timeMs={timeMs}
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
