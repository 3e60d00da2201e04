export { computeOffline, type OfflineGrid } from './offline.ts';
