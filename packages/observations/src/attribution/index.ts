export { CHUNK_MS, type Chunk } from './consensus.ts';
export { type DriftSettings, driftTo } from './drift.ts';
export { type FlightPoints, type FlightTrack, prepareFlight } from './flight-points.ts';
export type { Match } from './match.ts';
export {
  type Attribution,
  attributionsOf,
  coverageOf,
  type FlightCoverage,
  type FlightStatus,
  statusOf,
} from './results.ts';
export {
  type AttributionSettings,
  type AttributionState,
  addFlights,
  addFrame,
  COVERED_FRAMES,
  createState,
  decideChunks,
  decodeState,
  encodeState,
  type FollowedFlight,
  isCovered,
  type SegmentFrame,
} from './state.ts';
export { WIND_VARIABLES, type Winds, windsOf } from './winds.ts';
