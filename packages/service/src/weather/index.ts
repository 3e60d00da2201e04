export { type ImportedFile, importWeather } from './import.ts';
export {
  type CheckedSource,
  checkWeather,
  type ListedSource,
  listWeather,
  sampleWeather,
} from './inspect.ts';
export { createLazyMet } from './lazy-met.ts';
export { escapePattern } from './sources.ts';
export { providerNamed, SyncError, type SyncPlan, type SyncResult, shownRun, syncWeather } from './sync.ts';
