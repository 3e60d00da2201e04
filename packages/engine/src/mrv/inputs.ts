/** What a flight is computed from, where each of it comes from, and what would be used instead. */
import { findAircraftType, knownAircraftTypes } from '@contrails/physics/aircraft';
import { resolveEngineUid } from '@contrails/physics/emissions';
import { haversineM } from '@contrails/physics/geodesy';
import type { FlightGiven } from '../flights/fleet.ts';
import type { OperatorFlight } from './operator-tables.ts';
import type { Route } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import { isModelled, type TelemetryLeg } from './telemetry.ts';
import type { Track } from './tracks.ts';

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
  readonly about: FlightGiven;
  readonly track: Track;
  /** Which the computed fuel flow is scaled to. */
  readonly fuelBurnKg?: number;
}

export interface PreparedFlight {
  readonly operator: OperatorFlight;
  readonly route: Route;
  /** Of the leg of the telemetry, else the key. */
  readonly flightId: string;
  readonly inputs: FlightInputs;
  /** Engine that is used without that of the operator; the usual one of the type unless given. */
  readonly engineWithout: string | undefined;
  readonly provenance: Readonly<Record<ProvenanceGroup, Provenance>>;
  readonly findings: readonly string[];
}

const KNOWN: ReadonlySet<string> = new Set(knownAircraftTypes());
const MAX_MASS_SHARE = 1.02;
const MAX_GAP_S = 3600;
const MAX_FROM_AIRPORT_M = 100_000;

/** What is known of a flight beyond the operator's table. */
export interface OtherData {
  /** Waypoints of the operator. */
  readonly track?: Track | undefined;
  /** The leg of the telemetry that is the same flight, and its minutes. */
  readonly leg: TelemetryLeg | undefined;
  readonly legTrack?: Track | undefined;
}

/** The flight, or why it cannot be computed. */
export function prepareInputs(
  operator: OperatorFlight,
  route: Route,
  { track: own, leg, legTrack }: OtherData,
  { defaults }: Pick<MrvSettings, 'defaults'>,
): PreparedFlight | string {
  const track = own ?? legTrack;
  if (track === undefined) return leg === undefined || isModelled(leg) ? 'no_trajectory' : leg.outcome;
  const aircraftType = operator.aircraftType ?? leg?.aircraftType ?? null;
  if (aircraftType === null) return 'type_unknown';
  if (!KNOWN.has(aircraftType)) return 'type_unsupported';
  const findings = [...operator.findings, ...gapsOf(track), ...distantEnds(track, route)];
  const type = findAircraftType(aircraftType);
  const mass = operator.takeoffMassKg;
  const isTooLight = mass !== null && mass < type.operatingEmptyMassKg;
  const isTooHeavy = mass !== null && mass > MAX_MASS_SHARE * type.maxTakeoffMassKg;
  if (isTooLight) findings.push('takeoff_mass_below_empty');
  if (isTooHeavy) findings.push('takeoff_mass_above_maximum');
  const usedMass = isTooLight || isTooHeavy ? null : mass;
  const isEngineKnown = operator.engineUid !== null && resolveEngineUid(operator.engineUid) !== null;
  const engineUid = isEngineKnown ? operator.engineUid : (leg?.engineUid ?? null);
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
  const hasMass = usedMass !== null || isGiven(loads);
  const byDefault = {
    mass: hasMass ? {} : defaultsOf('mass', defaults),
    fuel_properties: isGiven(properties) ? {} : defaultsOf('fuel_properties', defaults),
  };
  const hasDefaultMass = Object.keys(byDefault.mass).length > 0;
  const isOwn = !operator.findings.includes('not_in_operator_file');
  return {
    operator,
    route,
    flightId: leg?.flightId ?? operator.key,
    inputs: {
      track,
      about: {
        id: operator.key,
        aircraftType,
        ...known({
          ...{ engineUid, takeoffMassKg: usedMass, ...loads, ...properties },
          originAirportIcao: route.departure?.icao ?? null,
          destinationAirportIcao: route.arrival?.icao ?? null,
        }),
        ...byDefault.mass,
        ...byDefault.fuel_properties,
      },
      ...(operator.fuelBurnKg === null || hasFlow ? {} : { fuelBurnKg: operator.fuelBurnKg }),
    },
    provenance: {
      trajectory: own === undefined ? 'secondary' : 'primary',
      aircraft_type: isOwn && operator.aircraftType !== null ? 'primary' : 'secondary',
      engine: isEngineKnown ? 'primary' : engineUid === null ? 'default' : 'secondary',
      mass: hasMass ? 'primary' : hasDefaultMass ? 'default' : 'secondary',
      fuel_flow: hasFlow || operator.fuelBurnKg !== null ? 'primary' : 'secondary',
      fuel_properties: isGiven(properties) ? 'primary' : 'default',
      weather: 'secondary',
    },
    findings,
    engineWithout: leg?.engineUid ?? undefined,
  };
}

/** Values of the configuration for a group of which nothing is known. */
function defaultsOf(group: EffectGroup, defaults: MrvSettings['defaults']): Partial<FlightGiven> {
  if (defaults === 'model') return {};
  const { load_factor: load, fuel } = defaults;
  const values =
    group === 'mass'
      ? { passengerLoadFactor: load, cargoLoadFactor: load }
      : group === 'fuel_properties'
        ? {
            hydrogenContentPercent: fuel?.hydrogen_content_pct,
            sulphurPpm: fuel?.sulphur_ppm,
            aromaticsPercent: fuel?.aromatics_vol_pct,
            naphthalenePercent: fuel?.naphthalene_vol_pct,
          }
        : {};
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Whether the value that was used of a group has an effect to show: one of the operator, or one that the configuration sets. */
export function hasEffect(
  { provenance }: PreparedFlight,
  group: EffectGroup,
  { defaults }: MrvSettings,
): boolean {
  if (provenance[group] === 'primary') return true;
  return provenance[group] === 'default' && Object.keys(defaultsOf(group, defaults)).length > 0;
}

/** The same flight with what would be used without the operator's value of a group, or with the estimate of the models instead of a default. */
export function withoutGroup(
  flight: Pick<PreparedFlight, 'inputs' | 'provenance' | 'engineWithout'>,
  group: EffectGroup,
  { defaults }: Pick<MrvSettings, 'defaults'>,
): FlightInputs {
  const { inputs } = flight;
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
  const instead =
    flight.provenance[group] !== 'primary'
      ? {}
      : group === 'engine' && flight.engineWithout !== undefined
        ? { engineUid: flight.engineWithout }
        : defaultsOf(group, defaults);
  return { ...inputs, about: { ...Object.fromEntries(left), ...instead } };
}

function known(values: Readonly<Record<string, string | number | null>>): Partial<FlightGiven> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** Ends of a trajectory far from the airports of the flight. */
function distantEnds({ longitude, latitude }: Track, { departure, arrival }: Route): string[] {
  const isFar = (airport: Route['departure'], at: number) =>
    airport !== undefined &&
    haversineM(airport.longitude, airport.latitude, longitude.at(at) as number, latitude.at(at) as number) >
      MAX_FROM_AIRPORT_M;
  return [
    ...(isFar(departure, 0) ? ['starts_far_from_airport'] : []),
    ...(isFar(arrival, -1) ? ['ends_far_from_airport'] : []),
  ];
}

function gapsOf({ timeMs }: Track): string[] {
  let widest = 0;
  for (let i = 1; i < timeMs.length; i++)
    widest = Math.max(widest, ((timeMs[i] as number) - (timeMs[i - 1] as number)) / 1000);
  return widest > MAX_GAP_S ? [`trajectory_gap_${Math.round(widest)}`] : [];
}
