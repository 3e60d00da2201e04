export { withDemoWeather } from './demo.ts';
export { computeCocipOffline } from './families/forecast/offline.ts';
export { type ArchiveOutcome, type ForecastOutcome, publishArchive, runForecast } from './families/forecast/run-now.ts';
