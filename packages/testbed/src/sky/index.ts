export { encodeImagery, type SceneFile, sceneFiles } from './files.ts';
export type { ContrailRun, SyntheticFlight } from './flights.ts';
export { planeOf, toPlane } from './plane.ts';
export type { VisibleContrail, VisiblePoint } from './plumes.ts';
export {
  makeScene,
  makeWatch,
  type Scene,
  type SceneFrame,
  type SceneSettings,
  type Watch,
} from './scene.ts';
export { makeSky, type Sky, type SkySettings, viewSky } from './sky.ts';
export { type TrueLine, truthOf } from './truth.ts';
export { makeWinds } from './winds.ts';
