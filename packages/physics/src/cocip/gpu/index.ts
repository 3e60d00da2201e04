/** Contrails of grid cells on a GPU. */
export { humidityFormula } from '../../humidity-scaling/vector.ts';
export { type GpuDevice, USAGE } from '../../vector/wgsl/web-gpu.ts';
export {
  ContrailGpu,
  type FoundContrails,
  GpuError,
  type GpuSeconds,
  type GridWork,
  runsOnGpu,
} from './contrail-gpu.ts';
export { type CruiseTable, cruiseTable } from './cruise-table.ts';
export { adapterName, type GpuAdapter, isImitated, lackOf, openDevice } from './device.ts';
export { type GpuField, type GpuRadiation, type GpuWeather, isRegular } from './weather.ts';
