/** Air traffic of an hour on the map, and the track that was clicked. */
import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { HOUR_MS, hourText } from './map-state.ts';
import { loadTracks, type Track, trackShapes } from './telemetry-tracks.ts';

const TRACK_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': '#54d6a8', 'line-width': 1.6, 'line-opacity': 0.85 },
  },
];

/** Tracks of the hour, and the one that was clicked. */
export function useTraffic(isOn: boolean, timeMs: number) {
  const { stage, key, connection } = useSession();
  const [track, setTrack] = useState<Track>();
  const [notice, setNotice] = useState<string>();
  const hour = hourText(timeMs);

  useEffect(() => {
    if (!isOn || stage === undefined || key !== 'present' || connection < 0) return;
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
  }, [isOn, stage, key, hour, connection]);

  return { track, notice, clear: () => setTrack(undefined) };
}
