/** What holds for a whole flight: its inputs, its options and its results. */
import type { Payload, PayloadKnowledge } from '../aircraft/payload.ts';
import type { PerformanceParams } from '../aircraft/point-performance.ts';
import type { EmissionsParams, GaseousDataSource, NvpmDataSource } from '../emissions/emissions.ts';
import type { EngineOptions } from '../emissions/engines.ts';
import type { EmissionTotals } from '../emissions/totals.ts';
import type { Fuel } from '../fuel.ts';

export interface FlightAttributes extends Omit<PayloadKnowledge, 'aircraftType'> {
  readonly aircraftType?: string | undefined;
  /** Jet A-1 unless given. */
  readonly fuel?: Fuel | undefined;
  readonly engineUid?: string | undefined;
  readonly engineCount?: number | undefined;
  readonly wingspanM?: number | undefined;
  /** Maximum operating Mach number in place of the type's own. */
  readonly maxMach?: number | undefined;
  /** Share of engine efficiency lost; else from the age. */
  readonly engineDeterioration?: number | undefined;
  readonly aircraftAgeYears?: number | undefined;
  readonly takeoffMassKg?: number | undefined;
  readonly operatingEmptyMassKg?: number | undefined;
  readonly maxTakeoffMassKg?: number | undefined;
  readonly maxPayloadKg?: number | undefined;
  /** One value for all waypoints; a column of the same name goes before. */
  readonly aircraftMassKg?: number | undefined;
  readonly engineEfficiency?: number | undefined;
  readonly fuelFlowKgS?: number | undefined;
  readonly thrustN?: number | undefined;
  readonly trueAirspeedMS?: number | undefined;
  readonly nvpmEiN?: number | undefined;
}

export interface EvaluationParams {
  readonly performance?: Partial<PerformanceParams> | undefined;
  readonly emissions?: Partial<EmissionsParams> | undefined;
  readonly engine?: EngineOptions | undefined;
  /** Deterioration of flights that give neither it nor an age. */
  readonly engineDeterioration?: number | undefined;
  /** Window of the smoothing of ground speeds; null for none. */
  readonly groundSpeedWindow?: number | null | undefined;
}

/** Facts about a flight that the evaluation used or found. */
export interface FlightFacts {
  /** Type whose parameters were used; null when everything was given. */
  readonly performanceType: string | null;
  readonly wingspanM: number;
  readonly engineCount: number | null;
  readonly maxMach: number | null;
  readonly maxAltitudeM: number | null;
  readonly engineDeterioration: number;
  readonly payload: Payload | null;
  readonly totalFuelBurnKg: number;
  readonly engineUid: string | null;
  readonly engineUidUsed: string | null;
  readonly gaseousDataSource: GaseousDataSource | null;
  /** Null when the flight brought both nvPM indices along. */
  readonly nvpmDataSource: NvpmDataSource | null;
  /** What a user should know of the results, such as a fuel beyond what was measured. */
  readonly warnings: readonly string[];
  readonly totals: EmissionTotals;
}
