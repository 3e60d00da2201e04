/** What a flight is computed from, where each of it comes from, and what would be used instead. */
import { findAircraftType, knownAircraftTypes } from '@contrails/physics/aircraft';
import { resolveEngineUid } from '@contrails/physics/emissions';
import type { FlightGiven } from '../flights/fleet.ts';
import type { OperatorFlight, Track } from './operator-tables.ts';
import type { Route } from './scope.ts';

export const PROVENANCE_GROUPS = [
  'trajectory',
  'aircraft_type',
  'engine',
  'mass',
  'fuel_flow',
  'fuel_properties',
  'weather',
] as const;
export type ProvenanceGroup = (typeof PROVENANCE_GROUPS)[number];
export type Provenance = 'primary' | 'secondary' | 'default';

/** Groups whose effect on the result is shown. */
export const EFFECT_GROUPS = ['mass', 'engine', 'fuel_flow', 'fuel_properties'] as const;
export type EffectGroup = (typeof EFFECT_GROUPS)[number];

/** A flight as the models take it. */
export interface FlightInputs {
  readonly key: string;
  readonly about: FlightGiven;
  readonly track: Track;
  /** Which the computed fuel flow is scaled to. */
  readonly fuelBurnKg?: number;
}

export interface PreparedFlight {
  readonly operator: OperatorFlight;
  readonly route: Route;
  readonly inputs: FlightInputs;
  readonly provenance: Readonly<Record<ProvenanceGroup, Provenance>>;
  readonly findings: readonly string[];
}

const KNOWN: ReadonlySet<string> = new Set(knownAircraftTypes());
const MAX_MASS_SHARE = 1.02;
const MAX_GAP_S = 3600;

/** The flight, or why it cannot be computed. */
export function prepareInputs(
  operator: OperatorFlight,
  route: Route,
  track: Track | undefined,
): PreparedFlight | string {
  if (track === undefined) return 'no_trajectory';
  const { aircraftType } = operator;
  if (aircraftType === null) return 'type_unknown';
  if (!KNOWN.has(aircraftType)) return 'type_unsupported';
  const findings = [...operator.findings, ...gapsOf(track)];
  const type = findAircraftType(aircraftType);
  const mass = operator.takeoffMassKg;
  const isTooLight = mass !== null && mass < type.operatingEmptyMassKg;
  const isTooHeavy = mass !== null && mass > MAX_MASS_SHARE * type.maxTakeoffMassKg;
  if (isTooLight) findings.push('takeoff_mass_below_empty');
  if (isTooHeavy) findings.push('takeoff_mass_above_maximum');
  const usedMass = isTooLight || isTooHeavy ? null : mass;
  const isEngineKnown = operator.engineUid !== null && resolveEngineUid(operator.engineUid) !== null;
  if (operator.engineUid !== null && !isEngineKnown) findings.push('engine_unknown');
  const loads = {
    passengerLoadFactor: usedMass === null ? operator.passengerLoadFactor : null,
    cargoLoadFactor: usedMass === null ? operator.cargoLoadFactor : null,
  };
  const properties = {
    safBlendPercent: operator.safBlendPct,
    hydrogenContentPercent: operator.hydrogenContentPct,
    sulphurPpm: operator.sulphurPpm,
    aromaticsPercent: operator.aromaticsVolPct,
    naphthalenePercent: operator.naphthaleneVolPct,
  };
  const hasFlow = track.fuelFlowKgS !== undefined;
  const isGiven = (values: object) => Object.values(values).some((value) => value !== null);
  return {
    operator,
    route,
    inputs: {
      key: operator.key,
      track,
      about: {
        id: operator.key,
        aircraftType,
        ...known({
          ...{ engineUid: isEngineKnown ? operator.engineUid : null, takeoffMassKg: usedMass },
          ...{ ...loads, ...properties },
          originAirportIcao: route.departure?.icao ?? null,
          destinationAirportIcao: route.arrival?.icao ?? null,
        }),
      },
      ...(operator.fuelBurnKg === null || hasFlow ? {} : { fuelBurnKg: operator.fuelBurnKg }),
    },
    provenance: {
      trajectory: 'primary',
      aircraft_type: 'primary',
      engine: isEngineKnown ? 'primary' : 'default',
      mass: usedMass !== null || isGiven(loads) ? 'primary' : 'secondary',
      fuel_flow: hasFlow || operator.fuelBurnKg !== null ? 'primary' : 'secondary',
      fuel_properties: isGiven(properties) ? 'primary' : 'default',
      weather: 'secondary',
    },
    findings,
  };
}

/** The same flight without what the operator gives of a group. */
export function withoutGroup(inputs: FlightInputs, group: EffectGroup): FlightInputs {
  const { about, track } = inputs;
  if (group === 'fuel_flow') {
    const { fuelBurnKg: _, ...others } = inputs;
    const { fuelFlowKgS: __, ...positions } = track;
    return { ...others, track: positions };
  }
  const omitted: readonly (keyof FlightGiven)[] = {
    mass: ['takeoffMassKg', 'passengerLoadFactor', 'cargoLoadFactor'] as const,
    engine: ['engineUid'] as const,
    fuel_properties: [
      'safBlendPercent',
      'hydrogenContentPercent',
      'sulphurPpm',
      'aromaticsPercent',
      'naphthalenePercent',
    ] as const,
  }[group];
  const left = Object.entries(about).filter(([name]) => !omitted.includes(name as keyof FlightGiven));
  return { ...inputs, about: Object.fromEntries(left) };
}

function known(values: Readonly<Record<string, string | number | null>>): Partial<FlightGiven> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function gapsOf({ timeMs }: Track): string[] {
  let widest = 0;
  for (let i = 1; i < timeMs.length; i++)
    widest = Math.max(widest, ((timeMs[i] as number) - (timeMs[i - 1] as number)) / 1000);
  return widest > MAX_GAP_S ? [`trajectory_gap_${Math.round(widest)}`] : [];
}
