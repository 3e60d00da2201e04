/**
 * Parameters of the aircraft types of the Poll–Schumann (PS) performance model: Poll and Schumann, The
 * Aeronautical Journal 125 (2021) 257–295 and 296–340, with the authors' later revisions of the figures.
 */
import { HEAT_CAPACITY_RATIO, SURFACE_PRESSURE_PA } from '../constants.ts';
import { aircraftPerformance as table } from '../data/aircraft-performance.ts';
import { aircraftSynonyms } from '../data/aircraft-synonyms.ts';
import { InputError } from '../errors.ts';
import { didYouMean, nearMatches } from '../near-matches.ts';
import { type PowerTable, tabulatePower } from '../numerics/quick-power.ts';
import { feetToMetres } from '../units.ts';
import { designator } from './designator.ts';

/** One row of the parameter table with the values derived from it once. */
export interface AircraftType {
  readonly icaoType: string;
  readonly firstFlightYear: number;
  readonly engineCount: number;
  readonly hasWinglets: boolean;
  readonly maxTakeoffMassKg: number;
  readonly operatingEmptyMassKg: number;
  readonly maxPayloadKg: number;
  readonly wingAreaM2: number;
  readonly wingspanM: number;
  readonly aspectRatio: number;
  /** cos Λ, cosine of the wing sweep. */
  readonly cosSweep: number;
  /** δ₂ of the induced drag. */
  readonly inducedDragDelta2: number;
  /** ψ₀ of the zero-lift drag. */
  readonly zeroLiftDragPsi0: number;
  /** X₀ of the wave drag. */
  readonly waveDragXRef: number;
  /** C_w, wing constant of the crest-critical Mach number. */
  readonly waveDragWingConstant: number;
  readonly waveDragJ1: number;
  readonly waveDragJ2: number;
  readonly designLiftCoefficient: number;
  readonly designMach: number;
  readonly designThrustCoefficient: number;
  readonly eta1: number;
  readonly eta2: number;
  /** Powers with the exponent η₂. */
  readonly eta2Power: PowerTable;
  /** M_ec, characteristic Mach number of the engine. */
  readonly engineMach: number;
  /** τ_ec, characteristic ratio of turbine-entry to ambient temperature. */
  readonly engineTemperatureRatio: number;
  /** Sea-level static fuel flow of all engines at take-off [kg s⁻¹]. */
  readonly fuelFlowMaxKgS: number;
  /** Sea-level static fuel flow of all engines at idle [kg s⁻¹]. */
  readonly fuelFlowIdleKgS: number;
  readonly maxFlightLevel: number;
  readonly maxOperatingMach: number;
  /** Loss of crest-critical Mach number per lift coefficient, 0.1/cos²Λ. */
  readonly crestMachPerLift: number;
  /** cos³Λ·j₁ of the wave drag. */
  readonly waveDragRise: number;
  /** Design thrust coefficient·M_des²/(1 + 0.55 M_des), the scale of the best thrust coefficient at any Mach number. */
  readonly thrustAtBestScale: number;
  /** Turbine entry temperature at take-off [K]. */
  readonly turbineEntryTakeoffK: number;
  /** Turbine entry temperature at maximum continuous climb [K]. */
  readonly turbineEntryContinuousK: number;
  /** Largest impact pressure [Pa]. */
  readonly impactPressureMaxPa: number;
  /** Pressure [Pa] above which the impact pressure, not the Mach number, limits the speed. */
  readonly crossoverPressurePa: number;
  readonly maxAltitudeM: number;
}

const ROWS = new Map(table.icaoType.map((icaoType, row) => [icaoType, row]));
const SYNONYMS = new Map(
  aircraftSynonyms.icaoType.map((icaoType, row) => [
    icaoType,
    aircraftSynonyms.performanceIcaoType[row] as string,
  ]),
);
const parsed = new Map<string, AircraftType>();

/** Type designators with their own parameters. */
export function performanceTypes(): readonly string[] {
  return table.icaoType;
}

/** All designators that {@link findAircraftType} accepts, synonyms included. */
export function knownAircraftTypes(): readonly string[] {
  return [...new Set([...ROWS.keys(), ...SYNONYMS.keys()])].sort();
}

/** Parameters of a type designator or of the type that stands in for it; an error names near matches. */
export function findAircraftType(icaoType: string): AircraftType {
  const wanted = designator(icaoType);
  return readType(SYNONYMS.get(wanted) ?? wanted) ?? unknownType(icaoType, knownAircraftTypes());
}

/** Parameters of a designator that has its own, as the grid model asks for; synonyms do not count. */
export function findPerformanceType(icaoType: string): AircraftType {
  return readType(designator(icaoType)) ?? unknownType(icaoType, performanceTypes());
}

/** A type that is flown up to another maximum operating Mach number than its own. */
export function withMaxMach(type: AircraftType, maxMach: number | undefined): AircraftType {
  return maxMach === undefined ? type : { ...type, ...speedLimits(maxMach) };
}

/** Turbine entry temperature at take-off [K] of an engine generation (PS model, part 2). */
export function turbineEntryTakeoffK(firstFlightYear: number): number {
  return 2000 * (1 - Math.exp(62.8 - 0.0325 * firstFlightYear));
}

/** Impact pressure [Pa] of the largest calibrated airspeed that goes with a maximum operating Mach number. */
export function impactPressureMaxPa(maxOperatingMach: number): number {
  const seaLevelMach = 0.57 * (maxOperatingMach + 0.1);
  const k = HEAT_CAPACITY_RATIO;
  return SURFACE_PRESSURE_PA * ((1 + 0.5 * (k - 1) * seaLevelMach ** 2) ** (k / (k - 1)) - 1);
}

/** Pressure [Pa] at which the impact-pressure limit meets the maximum operating Mach number. */
export function crossoverPressurePa(impactPressurePa: number, maxOperatingMach: number): number {
  const m2 = maxOperatingMach * maxOperatingMach;
  return impactPressurePa / (0.5 * HEAT_CAPACITY_RATIO * m2 * (1 + m2 / 4 + (m2 * m2) / 40));
}

function readType(icaoType: string): AircraftType | undefined {
  const known = parsed.get(icaoType);
  if (known !== undefined) return known;
  const row = ROWS.get(icaoType);
  if (row === undefined) return undefined;
  const type = parseRow(icaoType, row);
  parsed.set(icaoType, type);
  return type;
}

function parseRow(icaoType: string, row: number): AircraftType {
  const cell = (column: Float64Array): number => column[row] as number;
  const firstFlightYear = cell(table.firstFlightYear);
  const maxFlightLevel = cell(table.maxFlightLevel100ft);
  const cosSweep = cell(table.wingCosSweep);
  const waveDragJ1 = cell(table.waveDragJ1);
  const designMach = cell(table.designMach);
  const designThrustCoefficient = cell(table.designThrustCoefficient);
  return {
    icaoType,
    firstFlightYear,
    engineCount: cell(table.engineCount),
    hasWinglets: cell(table.hasWinglets) === 1,
    maxTakeoffMassKg: cell(table.massMaxTakeoffKg),
    operatingEmptyMassKg: cell(table.massOperatingEmptyKg),
    maxPayloadKg: cell(table.massMaxPayloadKg),
    wingAreaM2: cell(table.wingAreaM2),
    wingspanM: cell(table.wingSpanM),
    aspectRatio: cell(table.wingAspectRatio),
    cosSweep,
    inducedDragDelta2: cell(table.inducedDragDelta2),
    zeroLiftDragPsi0: cell(table.zeroLiftDragPsi0),
    waveDragXRef: cell(table.waveDragXRef),
    waveDragWingConstant: cell(table.waveDragWingConstant),
    waveDragJ1,
    waveDragJ2: cell(table.waveDragJ2),
    designLiftCoefficient: cell(table.designLiftCoefficient),
    designMach,
    designThrustCoefficient,
    eta1: cell(table.efficiencyEta1),
    eta2: cell(table.efficiencyEta2),
    eta2Power: tabulatePower(cell(table.efficiencyEta2)),
    engineMach: cell(table.engineCharacteristicMach),
    engineTemperatureRatio: cell(table.engineCharacteristicTemperatureRatio),
    fuelFlowMaxKgS: cell(table.fuelFlowMaxSlsKgS),
    fuelFlowIdleKgS: cell(table.fuelFlowIdleSlsKgS),
    maxFlightLevel,
    ...speedLimits(cell(table.maxOperatingMach)),
    crestMachPerLift: 0.1 / cosSweep ** 2,
    waveDragRise: cosSweep ** 3 * waveDragJ1,
    thrustAtBestScale: (designThrustCoefficient * designMach ** 2) / (1 + 0.55 * designMach),
    turbineEntryTakeoffK: turbineEntryTakeoffK(firstFlightYear),
    turbineEntryContinuousK: 0.92 * turbineEntryTakeoffK(firstFlightYear),
    maxAltitudeM: feetToMetres(maxFlightLevel * 100),
  };
}

function speedLimits(
  maxOperatingMach: number,
): Pick<AircraftType, 'maxOperatingMach' | 'impactPressureMaxPa' | 'crossoverPressurePa'> {
  const impactPressure = impactPressureMaxPa(maxOperatingMach);
  return {
    maxOperatingMach,
    impactPressureMaxPa: impactPressure,
    crossoverPressurePa: crossoverPressurePa(impactPressure, maxOperatingMach),
  };
}

function unknownType(icaoType: string, known: readonly string[]): never {
  const matches = nearMatches(icaoType, known);
  throw new InputError(
    `aircraft_type ${JSON.stringify(icaoType)} has no performance parameters.${didYouMean(matches)}`,
    { field: 'aircraft_type', value: icaoType, nearMatches: matches },
  );
}
