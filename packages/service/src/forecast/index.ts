export { withDemoWeather } from '../demo.ts';
export { type ForecastOutcome, runForecast } from './run-now.ts';
