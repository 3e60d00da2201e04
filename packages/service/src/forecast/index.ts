export { withDemoWeather } from '../demo.ts';
export { computeCocipOffline } from '../families/forecast/offline.ts';
export { type ForecastOutcome, runForecast } from './run-now.ts';
