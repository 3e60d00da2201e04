/** Contrails of grid cells on a GPU. */
export { humidityFormula } from '../../humidity-scaling/vector.ts';
export type { GpuDevice } from '../../vector/wgsl/web-gpu.ts';
export {
  ContrailGpu,
  type FollowedContrails,
  GpuError,
  type GpuWeather,
  isRegular,
  runsOnGpu,
} from './follow.ts';
export { joinYoung, type YoungContrails, youngContrails } from './young.ts';
