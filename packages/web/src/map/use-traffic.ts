/** Air traffic of an hour on the map: what is under the pointer, and the aircraft that was chosen. */
import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import type { Theme } from '../stage/basemap-style.ts';
import type { Shapes } from '../stage/stage.ts';
import { hourText, type MapState } from './map-state.ts';
import { TRACK_SWATCHES } from './shape-styles.ts';
import { loadTracks, type Track, trackShapes } from './telemetry-tracks.ts';

const trackLayers = (theme: Theme): Shapes['layers'] => {
  const { fill } = TRACK_SWATCHES[theme];
  return [
    {
      type: 'line',
      layout: { 'line-cap': 'round' },
      paint: { 'line-color': fill, 'line-width': 1.6, 'line-opacity': 0.85 },
    },
    {
      type: 'circle',
      filter: ['==', ['get', 'kind'], 'aircraft'],
      paint: {
        'circle-radius': 3.2,
        'circle-color': fill,
        'circle-stroke-color': theme === 'dark' ? '#0b1219' : '#ffffff',
        'circle-stroke-width': 1,
      },
    },
  ];
};
const TRACK_LAYERS = { dark: trackLayers('dark'), light: trackLayers('light') } as const;
const CHOSEN_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': '#0b1219', 'line-width': 7, 'line-opacity': 0.7 },
  },
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': '#ffffff', 'line-width': 3.4 },
  },
];

/** An aircraft under the pointer, and where the pointer is on the page [px]. */
export interface Hovered {
  readonly track: Track;
  readonly x: number;
  readonly y: number;
}

/** Tracks of the hour, or of the newest one that is served before it, with the chosen aircraft where it is among them. */
export function useTraffic(
  { traffic: isOn, aircraft }: Pick<MapState, 'traffic' | 'aircraft'>,
  timeMs: number,
  onChoose: (aircraft: string) => void,
) {
  const { stage, key, connection, status, theme } = useSession();
  const [tracks, setTracks] = useState<readonly Track[]>([]);
  const [hovered, setHovered] = useState<Hovered>();
  const [notice, setNotice] = useState<string>();
  const chosen = tracks.find(({ id }) => id === aircraft);
  const served = status?.telemetry;
  const lastMs = served ? Date.parse(served.last) : undefined;
  const firstMs = served ? Date.parse(served.first) : undefined;
  // Telemetry is published after its hour has ended: the newest there is goes with hours that are yet to come.
  const hourMs = lastMs === undefined ? undefined : Math.max(Math.min(timeMs, lastMs), firstMs ?? lastMs);
  const isKnown = status !== undefined;

  useEffect(() => {
    if (!isOn || stage === undefined || key !== 'present' || connection < 0 || !isKnown) return;
    if (hourMs === undefined) {
      setNotice('There is no telemetry yet: no hour of air traffic is served.');
      return () => setNotice(undefined);
    }
    const stopped = new AbortController();
    loadTracks(hourText(hourMs), stopped.signal).then(
      (found) => {
        setTracks(found);
        const hour = `${hourText(hourMs).replace('T', ' ')}:00 UTC`;
        setNotice(
          `${found.length} aircraft of ${hour}${hourMs === timeMs ? '' : ', the newest hour there is for this time'}.`,
        );
      },
      (error: unknown) => {
        if (!isAbort(error)) setNotice(messageOf(error));
      },
    );
    return () => {
      stopped.abort();
      setTracks([]);
      setHovered(undefined);
      setNotice(undefined);
    };
  }, [isOn, stage, key, connection, isKnown, hourMs, timeMs]);

  useEffect(() => {
    if (stage === undefined || tracks.length === 0) return;
    stage.setShapes('traffic', { data: trackShapes(tracks), layers: TRACK_LAYERS[theme] });
    const at = (point: { readonly x: number; readonly y: number }) => {
      const id = stage.featureAt('traffic', point)?.id;
      return id === undefined ? undefined : tracks.find((one) => one.id === id);
    };
    const stopPointer = stage.onPointer((position) => {
      const track = position && at(position);
      stage.setCursor(track && 'pointer');
      setHovered(track && position && { track, x: position.x, y: position.y });
    });
    const stopClicks = stage.onClick((point) => {
      const track = at(point);
      if (track !== undefined) onChoose(track.id);
    });
    return () => {
      stopPointer();
      stopClicks();
      stage.setCursor(undefined);
      stage.setShapes('traffic', undefined);
    };
  }, [stage, tracks, theme, onChoose]);

  useEffect(() => {
    stage?.setShapes('chosen', chosen && { data: trackShapes([chosen], false), layers: CHOSEN_LAYERS });
    return () => stage?.setShapes('chosen', undefined);
  }, [stage, chosen]);

  return { tracks, chosen, hovered, notice };
}
