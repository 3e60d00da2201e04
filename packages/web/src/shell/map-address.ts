import { useEffect } from 'preact/hooks';
import type { Camera } from '../stage/stage.ts';
import { replaceParameters, type View } from './route.ts';
import { useSession } from './session.ts';

const PAUSE_MS = 250;

/** Keeps state and camera of a view in the address, and remembers them for the next visit. */
export function useMapAddress<State>(
  view: View,
  state: State,
  format: (state: State, camera: Camera | undefined) => URLSearchParams,
  remember: (state: State, camera: Camera | undefined) => void,
): void {
  const { stage } = useSession();
  useEffect(() => {
    // Browsers refuse a page that writes its address too often, which a dragged slider or map does.
    let timer = setTimeout(write, PAUSE_MS);
    function write() {
      const camera = stage?.camera();
      remember(state, camera);
      replaceParameters(view, format(state, camera));
    }
    const stop = stage?.onMove(() => {
      clearTimeout(timer);
      timer = setTimeout(write, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [view, state, stage, format, remember]);
}
