/** The sky on the map: contrails, aircraft, the night, and what is under the pointer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { type LiveState, MINUTE_MS } from './live-state.ts';
import { nightShape } from './night.ts';
import type { Aircraft, Sky } from './sky.ts';
import { aircraftAt, contrailAt, ribbonOf, shownContrails, symbolsOf } from './sky-marks.ts';

const nightLayers = (opacity: number): Shapes['layers'] => [
  { type: 'fill', paint: { 'fill-color': '#00060f', 'fill-opacity': opacity, 'fill-antialias': false } },
];
const NIGHT_LAYERS = { dark: nightLayers(0.26), light: nightLayers(0.14) } as const;

/** Contrails come in many pieces once in a cycle; they are drawn so often at most. */
const RIBBONS_MS = 1000;

/** An aircraft under the pointer, and where the pointer is on the page [px]. */
interface Hovered {
  readonly aircraft: Aircraft;
  readonly x: number;
  readonly y: number;
}

interface Shown {
  readonly sky: Sky;
  readonly state: LiveState;
  /** The clock that aircraft move by; undefined for a past minute. */
  readonly clock: (() => number) | undefined;
  /** [ms since 1970] */
  readonly nowMs: number;
}

/** Draws the sky; `onChoose` gets the id of the flight whose aircraft or contrail was clicked. */
export function useSkyMarks(shown: Shown, onChoose: (id: string) => void): Hovered | undefined {
  const { stage, theme } = useSession();
  const { sky, state, clock, nowMs } = shown;
  const [hovered, setHovered] = useState<Hovered>();
  const records = useRef<Float32Array>(undefined);
  const newest = useRef(shown);
  newest.current = shown;
  const { coloring, contrails, minLevel, callsign, isLasting, flight, hasNight } = state;
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;

  const drawnMs = useRef(Number.NEGATIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parts of the state that contrails depend on
  useEffect(() => {
    const draw = () => {
      drawnMs.current = performance.now();
      const ribbons = shownContrails(sky, state).map((contrail) => ribbonOf(contrail, state));
      stage?.setRibbons({ ribbons, clock });
    };
    const timer = setTimeout(
      draw,
      clock === undefined ? 0 : Math.max(0, drawnMs.current + RIBBONS_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [stage, sky, sky.changes.contrails, clock, coloring, contrails, minLevel, callsign, isLasting, flight]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the parts of the state that aircraft depend on
  useEffect(() => {
    const symbols = symbolsOf(sky, { state, theme, nowMs, clock }, records.current);
    records.current = symbols.records;
    stage?.setSymbols(symbols);
  }, [stage, sky, sky.changes.aircraft, theme, clock, minLevel, callsign, isLasting, flight]);

  useEffect(() => {
    stage?.setShapes(
      'night',
      hasNight ? { data: nightShape(minuteMs), layers: NIGHT_LAYERS[theme] } : undefined,
    );
  }, [stage, theme, hasNight, minuteMs]);

  useEffect(() => {
    if (stage === undefined) return;
    const pick = () => {
      const { sky: current, state: settings, clock: time, nowMs: atMs } = newest.current;
      return { current, how: { state: settings, zoom: stage.camera().zoom, nowMs: time?.() ?? atMs } };
    };
    const stopPointer = stage.onPointer((position) => {
      const { current, how } = pick();
      const aircraft = position && aircraftAt(current, position, how);
      stage.setCursor(aircraft && 'pointer');
      setHovered(aircraft && position && { aircraft, x: position.x, y: position.y });
    });
    const stopClicks = stage.onClick((position) => {
      const { current, how } = pick();
      const id =
        aircraftAt(current, position, how)?.facts.id ?? contrailAt(current, position, how)?.facts.flight_id;
      if (id !== undefined) onChoose(id);
    });
    return () => {
      stopPointer();
      stopClicks();
      stage.setCursor(undefined);
      stage.setRibbons(undefined);
      stage.setSymbols(undefined);
      stage.setShapes('night', undefined);
    };
  }, [stage, onChoose]);

  return hovered;
}
