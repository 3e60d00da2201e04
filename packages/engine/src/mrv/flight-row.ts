/** The row of a flight in the report: every number, where its inputs come from, and what they change. */
import {
  accfMetrics,
  contrailMetrics,
  DEFAULT_CO2E,
  EFFICACIES,
  type MetricsBlock,
} from '@contrails/physics/climate';
import { CO2E_HORIZONS } from '@contrails/physics/cocip';
import { sulphurPpmOf } from '@contrails/physics/emissions';
import { fuelOf } from '../flights/aircraft.ts';
import type { EvaluatedFlight } from './evaluate.ts';
import { EFFECT_GROUPS, type EffectGroup, PROVENANCE_GROUPS, type PreparedFlight } from './inputs.ts';

export type Cell = string | number | null;
export type FlightRow = Readonly<Record<string, Cell>>;

const SPECIES = ['contrail', 'nox', 'h2o', 'non_co2'] as const;
type Species = (typeof SPECIES)[number];

const IDENTITY = [
  'flight_key',
  'flight_id',
  'operator',
  'callsign',
  'registration',
  'icao_address',
  'flight_number',
  'departure_airport',
  'arrival_airport',
  'departure_country',
  'arrival_country',
  'departure_time',
  'arrival_time',
  'aircraft_type',
  'engine_uid',
] as const;

const INPUT_NUMBERS = [
  'distance_km',
  'takeoff_mass_kg',
  'passenger_load_factor',
  'cargo_load_factor',
  'hydrogen_content_pct',
  'aromatics_vol_pct',
  'naphthalene_vol_pct',
  'sulphur_ppm',
] as const;

const RESULT_NUMBERS = [
  'fuel_burn_kg',
  'co2_kg',
  'nox_kg',
  'h2o_kg',
  'nvpm_number',
  'contrail_km',
  'contrail_energy_forcing_j',
  ...SPECIES.flatMap((species) =>
    CO2E_HORIZONS.flatMap((years) => [
      `${species}_co2e${years}_kg`,
      `${species}_co2e${years}_no_efficacy_kg`,
    ]),
  ),
];

const EFFECT_NUMBERS = EFFECT_GROUPS.map((group) => `effect_${group}_co2e100_kg`);

/** Columns of the flights, in their order. */
export const FLIGHT_COLUMNS: readonly string[] = [
  ...IDENTITY,
  ...INPUT_NUMBERS,
  ...RESULT_NUMBERS,
  ...PROVENANCE_GROUPS.map((group) => `provenance_${group}`),
  ...EFFECT_NUMBERS,
  'accf_coverage',
  'status',
  'quality',
  'findings',
];

/** Those that are numbers. */
export const NUMBER_COLUMNS: readonly string[] = [
  ...INPUT_NUMBERS,
  ...RESULT_NUMBERS,
  ...EFFECT_NUMBERS,
  'accf_coverage',
];

/** Those whose sum over flights has a meaning. */
export const SUMMED_COLUMNS: readonly string[] = ['distance_km', ...RESULT_NUMBERS, ...EFFECT_NUMBERS];

/** Digits of numbers in all files, so sums of what is written are the sums that are written. */
const DIGITS = 10;

export function flightRow(
  { operator, route, flightId, inputs, provenance, findings }: PreparedFlight,
  evaluated: EvaluatedFlight,
  effects: Readonly<Partial<Record<EffectGroup, number>>>,
  methaneLifetimeYears: number,
): FlightRow {
  const { balance } = evaluated;
  const { about } = inputs;
  const fuel = fuelOf(about);
  const codes = [...new Set([...findings, ...evaluated.findings])];
  const usesFuel = provenance.fuel_flow === 'primary' && !codes.includes('fuel_burn_implausible');
  const row: Record<string, Cell> = {
    flight_key: operator.key,
    flight_id: flightId,
    operator: operator.operator,
    callsign: operator.callsign,
    registration: operator.registration,
    icao_address: operator.icaoAddress,
    flight_number: operator.flightNumber,
    departure_airport: route.departure?.icao ?? operator.departureAirport,
    arrival_airport: route.arrival?.icao ?? operator.arrivalAirport,
    departure_country: route.departure?.country ?? null,
    arrival_country: route.arrival?.country ?? null,
    departure_time: isoSecond(operator.departureMs),
    arrival_time: isoSecond(operator.arrivalMs),
    aircraft_type: about.aircraftType ?? null,
    engine_uid: evaluated.engineUid,
    distance_km: evaluated.distanceKm,
    takeoff_mass_kg: evaluated.takeoffMassKg,
    passenger_load_factor: evaluated.passengerLoadFactor,
    cargo_load_factor: evaluated.cargoLoadFactor,
    hydrogen_content_pct: fuel.hydrogenContentPercent,
    aromatics_vol_pct: about.aromaticsPercent ?? null,
    naphthalene_vol_pct: about.naphthalenePercent ?? null,
    sulphur_ppm: sulphurPpmOf(fuel),
    fuel_burn_kg: balance.fuelKg,
    co2_kg: balance.co2.kg,
    nox_kg: balance.nox.kg,
    h2o_kg: balance.h2o.kg,
    nvpm_number: evaluated.nvpmNumber,
    contrail_km: evaluated.contrailKm,
    contrail_energy_forcing_j: balance.contrails.energyForcingJ,
    ...equivalentsOf(evaluated, methaneLifetimeYears),
    ...Object.fromEntries(
      PROVENANCE_GROUPS.map((group) => [
        `provenance_${group}`,
        group === 'fuel_flow' && !usesFuel ? 'secondary' : provenance[group],
      ]),
    ),
    ...Object.fromEntries(
      EFFECT_GROUPS.map((group) => [`effect_${group}_co2e100_kg`, effects[group] ?? null]),
    ),
    accf_coverage: balance.coverage,
    status: evaluated.isPartial ? 'partial' : 'complete',
    quality: codes.length === 0 ? 'ok' : 'check',
    findings: codes.join(' '),
  };
  return Object.fromEntries(FLIGHT_COLUMNS.map((name) => [name, rounded(row[name] ?? null)]));
}

/** CO2e of contrails, NOx and water vapour over 100 years as GWP with efficacy [kg]. */
export function nonCo2Kg({ balance }: EvaluatedFlight): number {
  return balance.nonCo2.gwp100;
}

function equivalentsOf(
  { balance: { contrails, nox, h2o } }: EvaluatedFlight,
  methaneLifetimeYears: number,
): Record<string, number> {
  const withEfficacy: Readonly<Record<Exclude<Species, 'non_co2'>, MetricsBlock>> = {
    contrail: contrails.co2e,
    nox: nox.co2e,
    h2o: h2o.co2e,
  };
  const without = {
    contrail: contrailMetrics(contrails.energyForcingJ, { efficacy: false, set: DEFAULT_CO2E.set }),
    nox: accfMetrics(
      nox.o3K / EFFICACIES.o3,
      (nox.ch4K + nox.pmoK) / EFFICACIES.ch4,
      DEFAULT_CO2E.set,
      methaneLifetimeYears,
    ),
    h2o: accfMetrics(h2o.atr20K / EFFICACIES.h2o, 0),
  };
  const names = ['contrail', 'nox', 'h2o'] as const;
  return Object.fromEntries(
    CO2E_HORIZONS.flatMap((years) =>
      [
        { blocks: withEfficacy, suffix: '' },
        { blocks: without, suffix: '_no_efficacy' },
      ].flatMap(({ blocks, suffix }) => {
        const kg = names.map((name) => blocks[name][`gwp${years}`]);
        return [
          ...names.map((name, n) => [`${name}_co2e${years}${suffix}_kg`, kg[n] as number] as const),
          [`non_co2_co2e${years}${suffix}_kg`, kg.reduce((sum, one) => sum + one, 0)] as const,
        ];
      }),
    ),
  );
}

function rounded(cell: Cell): Cell {
  if (typeof cell !== 'number') return cell;
  return Number.isFinite(cell) ? Number(cell.toPrecision(DIGITS)) : null;
}

const isoSecond = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
