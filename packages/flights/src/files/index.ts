export type { FileHost, FlightFile } from './bytes.ts';
export { DamagedBytes } from './bytes.ts';
export { type FormatOptions, PROFILES, type Profile } from './contract.ts';
export { type FileFlight, flightBody, flightJson } from './flight.ts';
export { FLIGHT_FORMATS } from './formats.ts';
export { withPseudoWaypoints } from './pseudo-waypoints.ts';
export { type FlightReading, type ReadFilesOptions, readFlightFiles } from './read.ts';
export { FileReport, type FileWarning, type RefusedCode } from './refusals.ts';
export { type FlightRequest, type GivenAttributes, isPlan, PLAN_STEP_S, requestOf } from './request.ts';
