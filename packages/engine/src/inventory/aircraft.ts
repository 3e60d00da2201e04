/** Type, engine and role of a flight: as reported, else from the operator's airframe table, else the usual ones. */
import { designator, knownAircraftTypes } from '@contrails/physics/aircraft';
import { defaultEngine, resolveEngineUid } from '@contrails/physics/emissions';
import type { Rejection } from './rejection.ts';

/** What the operator's table has of an airframe. */
export interface Airframe {
  readonly aircraftType: string | null;
  readonly engineUid: string | null;
  /** `Cargo` for freighters. */
  readonly role: string | null;
}

export interface AirframeTable {
  /** Entries by address, then by registration. */
  find(icaoAddress: string, tailNumber: string | null): readonly Airframe[];
}

export const NO_AIRFRAMES: AirframeTable = { find: () => [] };

export interface ResolvedAircraft {
  readonly aircraftType: string;
  readonly isTypeFromTable: boolean;
  readonly engineUid: string;
  readonly engineSource: 'airframe' | 'type_default';
  readonly role: string | undefined;
}

let types: ReadonlySet<string> | undefined;

export function resolveAircraft(
  flight: {
    readonly icaoAddress: string;
    readonly tailNumber: string | null;
    readonly aircraftType: string | null;
  },
  table: AirframeTable,
): ResolvedAircraft | Rejection {
  const airframes = table.find(flight.icaoAddress, flight.tailNumber);
  const known = <K extends keyof Airframe>(name: K) =>
    airframes.find((one) => one[name] !== null)?.[name] ?? null;
  const reported = flight.aircraftType ?? known('aircraftType');
  if (reported === null) {
    return {
      code: 'type_unknown',
      detail: `neither the reports nor the airframe table have the type of ${flight.icaoAddress}; import one with "contrails inventory airframes import", and the flight is computed`,
    };
  }
  const aircraftType = designator(reported);
  types ??= new Set(knownAircraftTypes());
  if (!types.has(aircraftType)) {
    return {
      code: 'type_unsupported',
      detail: `there are no performance parameters for ${aircraftType}; flights of this type stay out`,
    };
  }
  const ofAirframe = known('engineUid');
  const engineUid = ofAirframe ?? defaultEngine(aircraftType)?.engineUid;
  if (engineUid === undefined || resolveEngineUid(engineUid) === null) {
    const what = engineUid === undefined ? `no usual engine of ${aircraftType}` : `no engine ${engineUid}`;
    return { code: 'engine_unknown', detail: `the emissions databank has ${what}` };
  }
  return {
    aircraftType,
    isTypeFromTable: flight.aircraftType === null,
    engineUid,
    engineSource: ofAirframe === null ? 'type_default' : 'airframe',
    role: known('role') ?? undefined,
  };
}
