/** Synthetic scenes with known truth: flights, their contrails, and what a satellite sees of them every ten minutes. */
import { FRAME_STEP_MS, scanOffsetsOf } from '@contrails/observations/frame';
import { type FixedGrid, fullDisk, type GridName, windowOf } from '@contrails/observations/navigation';
import { makeTraffic, type Traffic } from './flights.ts';
import { type Plane, planeOf } from './plane.ts';
import { contrailAt, type VisibleContrail } from './plumes.ts';
import { makeScenery, type SceneryLook } from './scenery.ts';
import { type Truth, truthOf } from './truth.ts';
import { makeViewpoint, type View, viewScene } from './view.ts';
import { makeWinds, type WindModel } from './winds.ts';

export interface SceneSettings extends SceneryLook {
  readonly seed: number;
  readonly satellite: GridName;
  /** Nominal time of the first frame [ms since 1970]. */
  readonly startMs: number;
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Rows and columns of the window. */
  readonly size: number;
  /** Flights that may leave contrails, and flights that leave none. */
  readonly contrailFlights?: number;
  readonly silentFlights?: number;
}

export interface Scene extends Traffic {
  readonly settings: SceneSettings;
  readonly grid: FixedGrid;
  readonly plane: Plane;
  readonly winds: WindModel;
  /** What the satellite sees in a frame, from 0, and what there is to find in it. */
  frame(index: number): SceneFrame;
}

export interface SceneFrame extends View, Truth {}

/** Seeds of noise differ by this between frames. */
const FRAME_SEED = 100_003;

export function makeScene(settings: SceneSettings): Scene {
  const { seed, startMs, size, contrailFlights = 48, silentFlights = 72 } = settings;
  const grid = windowOf(fullDisk(settings.satellite), settings.firstRow, settings.firstColumn, size, size);
  const plane = planeOf(grid);
  const winds = makeWinds(seed);
  const traffic = makeTraffic(seed, plane, startMs, { contrails: contrailFlights, silent: silentFlights });
  const watch = makeWatch({ seed, look: settings, grid, plane, winds, startMs });
  const offsets = scanOffsetsOf({ grid });
  return {
    settings,
    grid,
    plane,
    winds,
    ...traffic,
    frame(index) {
      const timeMs = startMs + index * FRAME_STEP_MS;
      const contrails = traffic.contrails.flatMap(
        (run) => contrailAt(run, timeMs, startMs, { grid, plane, winds }, offsets) ?? [],
      );
      return watch(timeMs, contrails);
    },
  };
}

/** A synthetic satellite that sees contrails of any origin: a scene or a model. */
export type Watch = (timeMs: number, contrails: readonly VisibleContrail[]) => SceneFrame;

export function makeWatch(world: {
  readonly seed: number;
  readonly look: SceneryLook;
  readonly grid: FixedGrid;
  readonly plane: Plane;
  readonly winds: WindModel;
  /** From which times count; scenery is the same for the same start. */
  readonly startMs: number;
}): Watch {
  const { seed, look, grid, plane, winds, startMs } = world;
  const viewpoint = makeViewpoint(grid, plane);
  const scenery = makeScenery(seed, look, winds);
  return (timeMs, contrails) => {
    const index = Math.round((timeMs - startMs) / FRAME_STEP_MS);
    const view = viewScene(viewpoint, scenery, contrails, timeMs, startMs, seed + FRAME_SEED * (index + 1));
    return { ...view, ...truthOf(view, contrails) };
  };
}
