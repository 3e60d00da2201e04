/** What can be synced, for whoever must not load the code that does it. */
export const SYNC_SOURCES = ['ecmwf', 'gfs', 'ukmo', 'icon-eu', 'era5', 'era5-cds'] as const;
export type SyncSourceName = (typeof SYNC_SOURCES)[number];
