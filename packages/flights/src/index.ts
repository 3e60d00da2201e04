export {
  type ResampledWaypoints,
  type ResampleSettings,
  resampledLength,
  resampleWaypoints,
  type Waypoints,
} from './resample.ts';
