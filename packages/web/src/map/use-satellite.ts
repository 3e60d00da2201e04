/** What a satellite saw up to an hour, on the map. */
import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf, service } from '../service.ts';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import type { Position } from '../track.ts';
import { HOUR_MS, hourText } from './map-state.ts';
import { detectionShapes, imagedArea, segmentShapes } from './satellite-shapes.ts';
import { AREA_SWATCH, DETECTION_LAYERS, SEGMENT_LAYERS } from './shape-styles.ts';

const AREA_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    paint: {
      'line-color': AREA_SWATCH.line,
      'line-width': AREA_SWATCH.width,
      'line-dasharray': [...(AREA_SWATCH.dash ?? [])],
    },
  },
];
const REFRESH_MS = 20_000;

/** Lines and pixels of the newest image up to the hour, polled while it is shown; its notice and its area. */
export function useSatellite(hasSegments: boolean, hasDetections: boolean, timeMs: number) {
  const { stage, key, connection } = useSession();
  const [notice, setNotice] = useState<string>();
  const [area, setArea] = useState<readonly Position[]>();

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
      const segments = hasSegments ? await loadSegments(frame, signal) : undefined;
      if (signal.aborted) return;
      shown = frame.time;
      stage.setShapes('segments', segments && { data: segments, layers: SEGMENT_LAYERS });
      const count = segments === undefined ? '' : `: ${segments.features.length} lines`;
      const image = frame.isSynthetic ? 'Synthetic satellite image' : 'Satellite image';
      setNotice(`${image} of ${timeText(frame.time)}${count}.`);
      // The image itself is larger than its lines, which are there already.
      const bytes = await loadImage(frame, signal);
      if (signal.aborted) return;
      if (hasDetections) {
        stage.setShapes('detections', { data: detectionShapes(bytes), layers: DETECTION_LAYERS });
      }
      const outline = imagedArea(bytes);
      stage.setShapes('imaged', {
        data: { type: 'FeatureCollection', features: [outline] },
        layers: AREA_LAYERS,
      });
      setArea(
        (outline.geometry.coordinates[0] ?? []).map(([longitude = 0, latitude = 0]) => ({
          longitude,
          latitude,
        })),
      );
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
      stage.setShapes('imaged', undefined);
      setNotice(undefined);
      setArea(undefined);
    };
  }, [hasSegments, hasDetections, stage, key, timeMs, connection]);

  return { notice, area };
}

/** A frame of the hour, or of the hours before it, that has both levels. */
interface SeenFrame {
  readonly time: string;
  readonly isSynthetic: boolean;
}

const LOOK_BACK_MS = 6 * HOUR_MS;

/** The newest frame that is served up to the end of an hour; undefined when there is none. */
async function newestFrame(hourMs: number, signal: AbortSignal): Promise<SeenFrame | undefined> {
  const { frames } = await service.observations.frames(
    { from: new Date(hourMs - LOOK_BACK_MS), to: new Date(hourMs + HOUR_MS) },
    { signal },
  );
  const served = frames.findLast(({ levels }) => levels.length === 2);
  return served && { time: served.time, isSynthetic: served.is_synthetic ?? false };
}

async function loadSegments({ time }: SeenFrame, signal: AbortSignal) {
  return segmentShapes(await service.observations.segments({ time }, { signal }));
}

async function loadImage({ time }: SeenFrame, signal: AbortSignal): Promise<ArrayBuffer> {
  const file = await service.observations.detections({ time }, { signal });
  return file.arrayBuffer();
}
