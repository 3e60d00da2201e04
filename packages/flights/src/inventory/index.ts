/** The tables of the inventory: one row for each flight, each minute of flight and each leg of the telemetry. */

export { FLIGHT_QUALITY, WEATHER_FLOOR_FT } from '../build/quality.ts';
export { type BridgedFlight, bridgeFlight } from './bridge.ts';
export * from './columns.ts';
export * from './inventory-flight.ts';
export { emptySegments, type Segments, type Stretch, segmentsInto } from './segments.ts';
export {
  type FlightTotals,
  flightTotals,
  isEuMrv,
  type RunLabel,
  segmentTotals,
  sumKnown,
  summaryOf,
} from './summary.ts';
