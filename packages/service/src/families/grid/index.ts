export { withDemoWeather } from '../../demo.ts';
export { computeOffline, type OfflineGrid } from './offline.ts';
