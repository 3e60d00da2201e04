export {
  crsOf,
  type FixedGrid,
  fullDisk,
  GRID_NAMES,
  type GridName,
  isGridName,
  type Viewpoint,
  windowOf,
  windowPosition,
} from './grid.ts';
export { apparentPosition, truePosition } from './parallax.ts';
export { toLonLat, toLonLats, toScanAngle, toScanAngles, viewZenithDeg } from './projection.ts';
export { VIEW, viewMask } from './view.ts';
