export {
  type ResampledFlight,
  type ResampleSettings,
  resampledLength,
  resampleFlight,
} from './resample.ts';
