import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf, service } from '../service.ts';
import { handOver } from '../shell/handover.ts';
import { goTo, replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { HUMIDITY_COLORS, TEMPERATURE_COLORS } from '../stage/color-scale.ts';
import type { Shapes } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import { LayersPanel } from './layers-panel.tsx';
import { Legend } from './legend.tsx';
import { LevelSlider } from './level-slider.tsx';
import {
  binaryRegions,
  contrailField,
  type Field,
  fetchNeighbours,
  forgetGrids,
  thresholdRegions,
  type WeatherFields,
  weatherFields,
} from './map-data.ts';
import { formatMapState, HOUR_MS, hourText, type MapState, parseMapState } from './map-state.ts';
import { Readout } from './readout.tsx';
import { loadDetections, loadSegments, newestFrame } from './satellite.ts';
import { loadTracks, type Track, trackShapes } from './telemetry-tracks.ts';
import { Timeline } from './timeline.tsx';
import { type TimelineHour, timelineHours } from './timeline-hours.ts';

const BINARY_LAYERS: Shapes['layers'] = [
  { type: 'fill', paint: { 'fill-color': '#57a9e8', 'fill-opacity': 0.42 } },
  { type: 'line', paint: { 'line-color': '#8cc8f5', 'line-width': 0.8 } },
];
const REGION_LAYERS: Shapes['layers'] = [
  { type: 'fill', paint: { 'fill-color': '#ff5d73', 'fill-opacity': 0.14 } },
  { type: 'line', paint: { 'line-color': '#ff5d73', 'line-width': 1.6 } },
];
const TRACK_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': '#54d6a8', 'line-width': 1.6, 'line-opacity': 0.85 },
  },
];
const SEGMENT_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: {
      'line-color': '#ffd23f',
      'line-width': 2.4,
      'line-opacity': ['interpolate', ['linear'], ['get', 'confidence'], 0.3, 0.45, 0.9, 1],
    },
  },
];
const DETECTION_LAYERS: Shapes['layers'] = [
  {
    type: 'fill',
    paint: {
      'fill-color': '#ff9f1c',
      'fill-opacity': ['interpolate', ['linear'], ['get', 'confidence'], 0.3, 0.25, 0.9, 0.85],
      'fill-antialias': false,
    },
  },
];
const REFRESH_MS = 20_000;

interface Shown {
  readonly field: Field | undefined;
  readonly weather: WeatherFields | undefined;
  /** What the layers were loaded for, as text, and their level. */
  readonly of: string;
  readonly flightLevel: number;
}

/** The forecast on the map: layers, level, hour and the value under the pointer. */
export function MapView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { stage, key, connection } = useSession();
  const [state, setState] = useState<MapState>(() => parseMapState(parameters));
  const [hours, setHours] = useState<readonly TimelineHour[]>([]);
  const [isPlaying, setPlaying] = useState(false);
  const [isPanelOpen, setPanelOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  const timeMs = state.timeMs ?? Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const change = useCallback((part: Partial<MapState>) => setState((before) => ({ ...before, ...part })), []);
  const onTime = useCallback((chosen: number) => change({ timeMs: chosen }), [change]);

  useHours(key === 'present', connection, state.aircraftClass, setHours);
  const { shown, error, isLoading } = useLayers(state, timeMs, hours);
  const picked = useTraffic(state.traffic, timeMs);
  const seen = useSatellite(state.segments, state.detections, timeMs);

  useEffect(() => {
    replaceParameters('map', formatMapState(state, stage?.camera()));
    return stage?.onMove((camera) => replaceParameters('map', formatMapState(state, camera)));
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

/** The hours of the newest run of a class, looked at again while it is being computed. */
function useHours(
  isReady: boolean,
  connection: number,
  aircraftClass: string,
  onHours: (hours: readonly TimelineHour[]) => void,
): void {
  useEffect(() => {
    if (!isReady || connection < 0) return;
    const stopped = new AbortController();
    const refresh = () =>
      service.forecast.runs({}, { signal: stopped.signal }).then(
        ({ runs }) => {
          const [newest] = runs;
          const found = newest?.aircraft_classes.find((one) => one.aircraft_class === aircraftClass);
          onHours(timelineHours(found?.hours ?? [], Date.now()));
        },
        () => undefined,
      );
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [isReady, connection, aircraftClass, onHours]);
}

/** Loads the layers of a state and puts them on the map together; what was shown stays until then. */
function useLayers(state: MapState, timeMs: number, hours: readonly TimelineHour[]) {
  const { stage, key, connection, theme } = useSession();
  const [shown, setShown] = useState<Shown>();
  const [failure, setFailure] = useState<{ readonly of: string; readonly message: string }>();
  const { layer, flightLevel, aircraftClass, aircraftType, threshold, weather, wind } = state;
  const wanted = useMemo(
    () => ({ ...state, timeMs }),
    [layer, flightLevel, aircraftClass, aircraftType, threshold, weather, wind, timeMs],
  );
  const of = JSON.stringify([
    layer,
    flightLevel,
    aircraftClass,
    aircraftType,
    threshold,
    weather,
    wind,
    timeMs,
  ]);
  const hoursRef = useRef(hours);
  hoursRef.current = hours;
  const hour = hours.find((one) => one.timeMs === timeMs);
  // Asking for what is not there yet would only be refused.
  const isServed = hour?.levels.includes(flightLevel) ?? false;
  const isForecast = layer === 'index' || threshold > 0;
  const lack = isForecast && hours.length > 0 && !isServed ? lackOf(hour) : undefined;

  useEffect(() => {
    if (connection > 0) forgetGrids();
  }, [connection]);

  useEffect(() => {
    if (stage === undefined || key !== 'present' || connection < 0) return;
    let isCurrent = true;
    const cell = { timeMs, flightLevel: wanted.flightLevel };
    const parts = {
      field: isServed || wanted.layer !== 'index' ? contrailField(wanted, cell) : undefined,
      binary: binaryRegions(wanted, cell),
      regions: isServed ? thresholdRegions(wanted, cell) : undefined,
      weather: wanted.wind || wanted.weather !== 'none' ? weatherFields(cell) : undefined,
    };
    settle(parts).then(({ values: { field, binary, regions, weather }, errors }) => {
      if (!isCurrent) return;
      stage.setField('contrails', field?.grid, field?.colors);
      if (wanted.weather === 'temperature')
        stage.setField('weather', weather?.temperature, TEMPERATURE_COLORS);
      else if (wanted.weather === 'humidity') stage.setField('weather', weather?.humidity, HUMIDITY_COLORS);
      else stage.setField('weather', undefined, undefined);
      stage.setWind(wanted.wind ? weather : undefined);
      stage.setShapes('binary', shapesOf(binary, BINARY_LAYERS));
      stage.setShapes('regions', shapesOf(regions, REGION_LAYERS));
      setShown({ field, weather, of, flightLevel: wanted.flightLevel });
      setFailure(errors.length === 0 ? undefined : { of, message: messageOf(errors[0]) });
      if (errors.length === 0) fetchNeighbours(wanted, cell, hoursRef.current);
    });
    return () => {
      isCurrent = false;
    };
  }, [stage, key, connection, wanted, of, isServed, theme]);

  useEffect(
    () => () => {
      stage?.setField('contrails', undefined, undefined);
      stage?.setField('weather', undefined, undefined);
      stage?.setWind(undefined);
      stage?.setShapes('binary', undefined);
      stage?.setShapes('regions', undefined);
    },
    [stage],
  );

  const error = failure?.of === of ? failure.message : lack;
  return { shown, error, isLoading: shown?.of !== of };
}

function lackOf(hour: TimelineHour | undefined): string {
  if (hour?.state === 'running')
    return 'The forecast of this hour is being computed; it appears as soon as it is done.';
  if (hour?.state === 'planned' || hour?.state === 'published')
    return 'The forecast of this level and hour is planned; it appears as soon as it is computed.';
  return hour?.state === 'failed'
    ? 'The forecast of this hour failed; the operator finds the reason with contrails jobs list.'
    : 'There is no forecast of this hour; choose another one below.';
}

function shapesOf(data: unknown, layers: Shapes['layers']): Shapes | undefined {
  return data === undefined ? undefined : { data: data as GeoJSON.FeatureCollection, layers };
}

/** Those values that came, and why the others did not. */
async function settle<T extends Readonly<Record<string, Promise<unknown> | undefined>>>(
  parts: T,
): Promise<{
  readonly values: { readonly [K in keyof T]: Awaited<T[K]> | undefined };
  readonly errors: readonly unknown[];
}> {
  const entries = Object.entries(parts);
  const results = await Promise.allSettled(entries.map(([, part]) => part));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const values = Object.fromEntries(
    entries.map(([name], k) => {
      const result = results[k];
      return [name, result?.status === 'fulfilled' ? result.value : undefined];
    }),
  ) as { [K in keyof T]: Awaited<T[K]> | undefined };
  return { values, errors };
}

/** Tracks of the hour, and the one that was clicked. */
function useTraffic(isOn: boolean, timeMs: number) {
  const { stage, connection } = useSession();
  const [track, setTrack] = useState<Track>();
  const [notice, setNotice] = useState<string>();
  const hour = hourText(timeMs);

  useEffect(() => {
    if (!isOn || stage === undefined || connection < 0) return;
    const stopped = new AbortController();
    let tracks: readonly Track[] = [];
    // Telemetry is published after its hour has ended, so the newest there is goes with hours that are yet to come.
    const newest = hourText(Math.min(Date.parse(`${hour}:00Z`), Date.now() - 2 * HOUR_MS));
    loadTracks(newest, stopped.signal).then(
      (found) => {
        tracks = found;
        stage.setShapes('traffic', { data: trackShapes(found), layers: TRACK_LAYERS });
        setNotice(
          newest === hour
            ? undefined
            : `Air traffic of ${newest.replace('T', ' ')}:00 UTC. Click a track to compute its contrails.`,
        );
      },
      (error: unknown) => {
        if (!isAbort(error)) setNotice(messageOf(error));
      },
    );
    const stopClicks = stage.onClick((point) => {
      const id = stage.featureAt('traffic', point)?.id;
      if (id !== undefined) setTrack(tracks.find((one) => one.id === id));
    });
    return () => {
      stopped.abort();
      stopClicks();
      stage.setShapes('traffic', undefined);
      setTrack(undefined);
      setNotice(undefined);
    };
  }, [isOn, stage, hour, connection]);

  return { track, notice, clear: () => setTrack(undefined) };
}

/** Lines and pixels of the newest image up to the hour, looked for again while it is shown; returns what to say of it. */
function useSatellite(hasSegments: boolean, hasDetections: boolean, timeMs: number): string | undefined {
  const { stage, key, connection } = useSession();
  const [notice, setNotice] = useState<string>();

  useEffect(() => {
    if (!(hasSegments || hasDetections) || stage === undefined || key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    let shown: string | undefined;
    const show = async () => {
      // Images of hours to come do not exist, so the newest one goes with them.
      const hourMs = Math.min(timeMs, Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
      const frame = await newestFrame(hourMs, signal);
      if (frame === undefined) {
        setNotice(
          `There is no satellite image of the six hours up to ${hourText(timeMs).replace('T', ' ')}:59 UTC.`,
        );
        return;
      }
      if (frame.time === shown) return;
      const [segments, detections] = await Promise.all([
        hasSegments ? loadSegments(frame, signal) : undefined,
        hasDetections ? loadDetections(frame, signal) : undefined,
      ]);
      if (signal.aborted) return;
      shown = frame.time;
      stage.setShapes('detections', shapesOf(detections, DETECTION_LAYERS));
      stage.setShapes('segments', shapesOf(segments, SEGMENT_LAYERS));
      const count = segments === undefined ? '' : `: ${segments.features.length} lines`;
      const image = frame.isSynthetic ? 'Synthetic satellite image' : 'Satellite image';
      setNotice(`${image} of ${timeText(frame.time)}${count}.`);
    };
    const refresh = () =>
      show().catch((error: unknown) => {
        if (!isAbort(error)) setNotice(messageOf(error));
      });
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
      stage.setShapes('detections', undefined);
      stage.setShapes('segments', undefined);
      setNotice(undefined);
    };
  }, [hasSegments, hasDetections, stage, key, timeMs, connection]);

  return notice;
}
