/** Energy forcing that is computed on this device, where the state asks for it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Availability, availability } from '../compute/adapter.ts';
import { MAX_CELLS, type Region, regionOfView } from '../compute/region.ts';
import { isAbort, messageOf } from '../service.ts';
import { useSession } from '../shell/session.ts';
import { FORCING_COLORS } from '../stage/color-scale.ts';
import { computeHere, type HereProgress, type HereResult } from './compute-here.ts';
import type { MapState } from './map-state.ts';
import { COMPUTED_SWATCH, regionLayers } from './shape-styles.ts';

type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: HereProgress }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly result: HereResult };

export interface Computed {
  /** Undefined until `look` has asked the browser, which starts its GPU, and it has answered. */
  readonly available: Availability | undefined;
  look(): void;
  readonly work: Work;
  /** What the state asks for, once it is there. */
  readonly result: HereResult | undefined;
  /** Whether it is still to come. */
  readonly isAwaited: boolean;
  /** Computes what is in view now. */
  renew(): void;
}

/** A slider that is dragged changes the state many times. */
const PAUSE_MS = 300;
const TOO_LARGE = `Zoom in: at most ${MAX_CELLS.toLocaleString('en')} cells of 0.25° are computed, fewer than are in view.`;

export function useComputed({ layer, here, aircraftType, flightLevel }: MapState, timeMs: number): Computed {
  const { stage, key, connection } = useSession();
  const [available, setAvailable] = useState<Availability>();
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const [attempt, setAttempt] = useState(0);
  /** That of the last computation: it stays where it is while level and hour change. */
  const region = useRef<Region>(undefined);
  const renew = useCallback(() => {
    region.current = undefined;
    setAttempt((count) => count + 1);
  }, []);
  const isWanted = layer === 'ef' && here !== undefined;
  const isPossible = available !== undefined && 'name' in available;

  const look = useCallback(() => {
    availability().then(setAvailable);
  }, []);
  useEffect(() => {
    if (isWanted) look();
  }, [isWanted, look]);

  useEffect(() => {
    if (!isWanted) {
      region.current = undefined;
      setWork({ state: 'idle' });
      return;
    }
    if (!isPossible || stage === undefined || key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const show = (next: Work) => {
      if (!signal.aborted) setWork(next);
    };
    const start = async () => {
      region.current ??= regionOfView(stage.view());
      if (region.current === undefined) return show({ state: 'failed', message: TOO_LARGE });
      const request = { region: region.current, scaling: here, aircraftType, flightLevel, timeMs };
      try {
        const onProgress = (progress: HereProgress) => show({ state: 'running', progress });
        const result = await computeHere(request, FORCING_COLORS.scale, { signal, onProgress });
        show({ state: 'done', result });
      } catch (error) {
        if (!isAbort(error)) show({ state: 'failed', message: messageOf(error) });
      }
    };
    setWork({ state: 'running', progress: { text: 'Starting…', share: undefined } });
    const timer = setTimeout(start, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [isWanted, isPossible, stage, key, connection, here, aircraftType, flightLevel, timeMs, attempt]);

  const isCurrent = ({ request }: HereResult) =>
    request.scaling === here &&
    request.aircraftType === aircraftType &&
    request.flightLevel === flightLevel &&
    request.timeMs === timeMs;
  const result = isWanted && work.state === 'done' && isCurrent(work.result) ? work.result : undefined;
  const isAwaited =
    isWanted && result === undefined && (available === undefined || isPossible) && work.state !== 'failed';
  useEffect(() => {
    stage?.setShapes(
      'computed',
      result && { data: outline(result.request.region), layers: regionLayers(COMPUTED_SWATCH) },
    );
    return () => stage?.setShapes('computed', undefined);
  }, [stage, result]);

  return { available, look, work, result, isAwaited, renew };
}

function outline({ west, south, east, north }: Region): GeoJSON.FeatureCollection {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [corners] } }],
  };
}
