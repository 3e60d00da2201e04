/** Traffic that was never flown, for demonstrations, tests and benchmarks. */
export {
  legsBetween,
  type SyntheticAirframe,
  type SyntheticFleetSettings,
  type SyntheticLeg,
  syntheticFleet,
} from './fleet.ts';
export { openSyntheticTraffic, type SyntheticTraffic } from './reports.ts';
