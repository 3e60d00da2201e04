import { useEffect, useRef, useState } from 'preact/hooks';
import type { Theme } from '../stage/basemap-style.ts';
import type { MapStage } from '../stage/stage.ts';
import { INITIAL_CAMERA, parseCamera } from './map-state.ts';

interface MapBackdropProps {
  readonly theme: Theme;
  /** Where a link points to; read once. */
  readonly parameters: URLSearchParams;
  readonly onReady: (stage: MapStage) => void;
}

/** Loads the map code when the page stands, and draws the map behind all views. */
export function MapBackdrop({ theme, parameters, onReady }: MapBackdropProps) {
  const container = useRef<HTMLDivElement>(null);
  const [stage, setStage] = useState<MapStage>();
  const [error, setError] = useState<string>();

  useEffect(() => {
    let isGone = false;
    import('../stage/stage.ts').then(
      ({ MapStage }) => {
        if (isGone || container.current === null) return;
        const made = new MapStage(container.current, theme, parseCamera(parameters) ?? INITIAL_CAMERA);
        setStage(made);
        onReady(made);
      },
      () => setError('The map could not be loaded. Reload the page.'),
    );
    return () => {
      isGone = true;
    };
  }, []);

  useEffect(() => stage?.setTheme(theme), [stage, theme]);

  return (
    <>
      <div class="backdrop" ref={container} />
      {error !== undefined && <p class="notice backdrop-error">{error}</p>}
    </>
  );
}
