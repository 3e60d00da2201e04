/** Names for the parts of the generated description that the client and its users need. */
import type { components, paths } from './generated/openapi.ts';

type Schemas = components['schemas'];

/** The paths that have this method. */
export type PathsWith<M extends 'get' | 'post' | 'delete'> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends 'get' | 'post' | 'delete'> =
  paths[P] extends Record<M, infer O> ? O : never;

/** The query parameters of an endpoint, under the names of the API. */
export type Query<P extends keyof paths, M extends 'get' | 'post' | 'delete' = 'get'> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

/** The JSON that an endpoint returns with status 200. */
export type Json<P extends keyof paths, M extends 'get' | 'post' | 'delete' = 'get'> =
  Operation<P, M> extends { responses: { 200: { content: { 'application/json': infer J } } } } ? J : never;

export type Flight = Schemas['Flight'];
export type FlightTotals = Schemas['FlightTotals'];
export type SacResult = Schemas['SacResult'];
export type IssrResult = Schemas['IssrResult'];
export type EmissionsResult = Schemas['EmissionsResult'];
export type CocipResult = Schemas['CocipResult'];
export type LevelsPlan = Json<'/v1/planning/levels', 'post'>;
export type ProfilePlan = Json<'/v1/planning/profile', 'post'>;
export type PlannedRoute = Schemas['PlannedRoute'];
export type RouteToPlan = Schemas['RouteToPlan'];
export type FlownRoute = Schemas['FlownRoute'];
export type PlannedFlight = Schemas['PlannedFlight'];
export type PlannedProfileFlight = Schemas['PlannedProfileFlight'];
export type Feature = Schemas['Feature'];
export type FeatureCollection = Schemas['FeatureCollection'];
export type GridAvailability = Schemas['GridAvailability'];
export type KeyInfo = Schemas['KeyInfo'];
export type AcceptedJob = Schemas['AcceptedJob'];
export type Job = Schemas['Job'];
export type BatchReceipt = Schemas['BatchReceipt'];
export type InventoryCompleteness = Schemas['InventoryCompleteness'];
export type Problem = Schemas['Problem'];
export type Health = Json<'/healthz'>;
export type Readiness = Json<'/readyz'>;
export type ForecastRuns = Json<'/v1/forecast/runs'>;
export type ForecastSkill = Json<'/v1/forecast/skill'>;
export type InventoryDates = Json<'/v1/inventory/dates'>;
export type InventoryTotals = Schemas['InventoryTotals'];
export type InventoryFlight = Schemas['InventoryFlight'];
export type FrameList = Schemas['FrameList'];
export type ContrailSegments = Json<'/v1/observations/provider-a/source-a/L2/segments'>;
export type Attributions = Json<'/v1/observations/provider-b/geostationary/L4/attributions'>;
export type Verification = Json<'/v1/observations/verification'>;
export type LiveFlights = Schemas['LiveFlightFeatureCollection'];
export type LiveContrails = Schemas['LiveContrailFeatureCollection'];
export type LiveFlightDetail = Schemas['LiveFlightDetail'];
export type LiveSummary = Schemas['LiveSummary'];
export type LiveSky = Schemas['LiveSky'];
export type JobList = Json<'/v0/jobs'>;
export type ServiceStatus = Json<'/v0/status'>;
export type FlightLevel = NonNullable<Query<'/v0/grid/sac'>['flight_level']>[number];
export type CocipAircraftType = Query<'/v0/grid/cocip'>['aircraft_type'];

export type TrajectoryModel = 'sac' | 'issr' | 'emissions' | 'cocip';
export type GridModel = 'sac' | 'issr' | 'pcr' | 'accf' | 'cocip';
