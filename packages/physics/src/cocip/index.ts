/** The contrail model CoCiP along flights and on grids, and what its energy forcing equals in CO2. */
export * from '../climate/co2-equivalence.ts';
export { type CellAircraft, type CellSources, cellSources } from './cell-sources.ts';
export { CHAINED_SEGMENTS } from './chain.ts';
export { type ContrailSources, joinSources } from './contrail-sources.ts';
export { covariance, horizontalVariance, verticalVariance } from './evolution.ts';
export {
  contrailSources,
  criterionOf,
  type EvaluatedFlight,
  evaluateFlightInAir,
  type FormationCriterion,
} from './flight-sources.ts';
export {
  type AirAlongFlight,
  airAlong,
  type CocipFlight,
  type FlightMotion,
  motionAlong,
  weatherPoints,
} from './flight-stage.ts';
export { FORECAST_THRESHOLDS, forcingIndex, thresholdEfPerM } from './forcing-index.ts';
export { completeFormation, type FormationReport, formContrails } from './formation.ts';
export { type CellSegment, followGridContrails, type GridContrails, type GridStepObserver } from './grid.ts';
export { type CocipParams, DEFAULT_COCIP_PARAMS } from './params.ts';
export { effectiveAreaM2, horizontalDiffusivity, verticalDiffusivity } from './plume.ts';
export { PLUME_COLUMNS, type PlumeColumn, type Plumes, type PlumeTable } from './plumes.ts';
export {
  followContrails,
  type StepObserver,
  type TrajectoryContrails,
  type WeatherPlan,
} from './trajectory.ts';
export {
  type LocatedWeather,
  type RadiationPair,
  type ScaleHumidity,
  type Weather,
  type WeatherPoints,
  type WeatherPositions,
  withinLevels,
} from './weather.ts';
