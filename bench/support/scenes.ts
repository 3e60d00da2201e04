/** Synthetic scenes that detectors are fitted and scored on. */
import type { GridName } from '@contrails/observations/navigation';
import { makeScene, type Scene } from '@contrails/testbed/sky';

/**
 * Scenes of `held-out` are not used for any choice; those of `development` are. Those of `varied` have the sky of the demo,
 * with texture and valleys that stand still, and are not used for any choice either.
 */
export type SceneSet = 'held-out' | 'development' | 'varied';

export const SCENE_SIZE = 512;
export const SCENE_FRAMES = 6;
export const SCENE_START_MS = Date.UTC(2024, 2, 7, 15);

export interface SceneGroup {
  readonly satellite: GridName;
  readonly clutter: number;
}

export const SCENE_GROUPS: readonly SceneGroup[] = [
  { satellite: 'goes-east', clutter: 0.6 },
  { satellite: 'goes-east', clutter: 1 },
  { satellite: 'himawari', clutter: 1 },
  { satellite: 'mtg-0', clutter: 1 },
  { satellite: 'goes-west', clutter: 1.4 },
];

const FIRST_SEEDS: Readonly<Record<SceneSet, number>> = {
  'held-out': 5000,
  development: 8000,
  varied: 9000,
};

export function isSceneSet(name: string): name is SceneSet {
  return name in FIRST_SEEDS;
}

/** A scene of a group, from 0. */
export function sceneOf(set: SceneSet, group: SceneGroup, index: number): Scene {
  return makeScene({
    ...group,
    isVaried: set === 'varied',
    seed: FIRST_SEEDS[set] + 100 * SCENE_GROUPS.indexOf(group) + index,
    startMs: SCENE_START_MS,
    ...{ firstRow: 760, firstColumn: 2300, size: SCENE_SIZE },
  });
}
