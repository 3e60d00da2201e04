/** Archives that weather can be synced from, and what brings it. */
import type { Provider } from '../sync/provider.ts';
import { ecmwf } from './ecmwf.ts';
import { era5 } from './era5.ts';
import { era5Cds } from './era5-cds.ts';
import { gfs } from './gfs.ts';
import { iconEu } from './icon-eu.ts';
import { ukmo } from './ukmo.ts';

export { SyncError } from '../sync/failures.ts';
export { damagedFiles, type Manifest, SourceFolder } from '../sync/folder.ts';
export { type GeneratedSource, generatedSource, registeredSources } from '../sync/generated-sources.ts';
export type { Provider } from '../sync/provider.ts';
export { shownRun } from '../sync/refusals.ts';
export { type SyncOptions, type SyncPlan, type SyncResult, syncSource } from '../sync/sync.ts';

/** In the order in which they are documented. */
export const PROVIDERS: readonly Provider[] = [ecmwf, gfs, ukmo, iconEu, era5, era5Cds];
