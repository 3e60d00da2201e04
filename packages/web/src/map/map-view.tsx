import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { handOver } from '../shell/handover.ts';
import { goTo, replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { LayersPanel } from './layers-panel.tsx';
import { Legend } from './legend.tsx';
import { LevelSlider } from './level-slider.tsx';
import { formatMapState, HOUR_MS, type MapState, parseCamera, parseMapState } from './map-state.ts';
import { Readout } from './readout.tsx';
import type { Track } from './telemetry-tracks.ts';
import { Timeline } from './timeline.tsx';
import type { TimelineHour } from './timeline-hours.ts';
import { useHours, useLayers } from './use-layers.ts';
import { useSatellite } from './use-satellite.ts';
import { useTraffic } from './use-traffic.ts';

const ADDRESS_PAUSE_MS = 250;

/** The forecast on the map: layers, level, hour and the value under the pointer. */
export function MapView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { stage, key, connection, status } = useSession();
  const [state, setState] = useState<MapState>(() => parseMapState(parameters));
  /** Of the link that the state began with. */
  const followed = useRef(parameters);
  const [hours, setHours] = useState<readonly TimelineHour[]>([]);
  const [isPlaying, setPlaying] = useState(false);
  const [isPanelOpen, setPanelOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  const timeMs = state.timeMs ?? Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const change = useCallback((part: Partial<MapState>) => setState((before) => ({ ...before, ...part })), []);
  const onTime = useCallback((chosen: number) => change({ timeMs: chosen }), [change]);

  /** Lines that the providers of the weather require. */
  const attributions = [...new Set(status?.weather.flatMap(({ attribution }) => attribution ?? []))];

  useEffect(() => {
    if (followed.current === parameters) return;
    followed.current = parameters;
    setState(parseMapState(parameters));
  }, [parameters]);
  useEffect(() => {
    const camera = parseCamera(parameters);
    if (camera !== undefined) stage?.moveTo(camera);
  }, [stage, parameters]);

  useHours(key === 'present', connection, state.aircraftClass, setHours);
  const { shown, error, isLoading } = useLayers(state, timeMs, hours);
  const picked = useTraffic(state.traffic, timeMs);
  const seen = useSatellite(state.segments, state.detections, timeMs);

  useEffect(() => {
    // Browsers refuse a page that writes its address too often, which a dragged slider does.
    let timer = setTimeout(write, ADDRESS_PAUSE_MS);
    function write() {
      replaceParameters('map', formatMapState(state, stage?.camera()));
    }
    const stop = stage?.onMove(() => {
      clearTimeout(timer);
      timer = setTimeout(write, ADDRESS_PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [state, stage]);

  return (
    <main class="map-view">
      <aside class={`panel ${isPanelOpen ? '' : 'closed'}`} aria-label="Layers">
        <button
          type="button"
          class="panel-toggle"
          aria-expanded={isPanelOpen}
          onClick={() => setPanelOpen(!isPanelOpen)}
        >
          Layers
        </button>
        {isPanelOpen && <LayersPanel state={state} onChange={change} />}
      </aside>
      <LevelSlider
        level={state.flightLevel}
        isLoading={isLoading}
        onChange={(flightLevel) => change({ flightLevel })}
      />
      <div class="map-foot">
        {error !== undefined && (
          <p class="notice" role="status">
            {error}
          </p>
        )}
        {[picked.notice, seen].map(
          (notice) =>
            notice !== undefined && (
              <p key={notice} class="notice" role="status">
                {notice}
              </p>
            ),
        )}
        {picked.track !== undefined && <PickedTrack track={picked.track} onClose={picked.clear} />}
        <div class="map-info">
          {stage !== undefined && (
            <Readout
              stage={stage}
              layer={state.layer}
              flightLevel={shown?.flightLevel ?? state.flightLevel}
              field={shown?.field}
              weather={shown?.weather}
            />
          )}
          <Legend state={state} />
        </div>
        <Timeline
          hours={hours}
          timeMs={timeMs}
          isPlaying={isPlaying}
          isLoading={isLoading}
          onChange={onTime}
          onPlay={setPlaying}
        />
        {attributions.length > 0 && <p class="attribution">{attributions.join(' ')}</p>}
      </div>
    </main>
  );
}

function PickedTrack({ track, onClose }: { readonly track: Track; readonly onClose: () => void }) {
  return (
    <p class="notice picked">
      <strong>{track.name}</strong> {track.aircraftType ?? 'unknown type'}
      <button
        type="button"
        onClick={() => {
          handOver(track);
          goTo('flight');
        }}
      >
        Compute its contrails
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </p>
  );
}
