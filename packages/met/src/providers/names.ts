/** What can be synced, for code that must not load the sync. */
export const SYNC_SOURCES = ['ecmwf', 'gfs', 'ukmo', 'icon-eu', 'era5', 'era5-cds'] as const;
export type SyncSourceName = (typeof SYNC_SOURCES)[number];
