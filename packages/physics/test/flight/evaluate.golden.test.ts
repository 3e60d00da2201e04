import { segmentDurationInto } from '../../src/aircraft/kinematics.ts';
import { type EmissionAmounts, emissionAmountsInto } from '../../src/emissions/totals.ts';
import type { EvaluationParams, FlightAttributes } from '../../src/flight/attributes.ts';
import type { EvaluatedColumns } from '../../src/flight/columns.ts';
import { evaluateFlight } from '../../src/flight/evaluate.ts';
import { type Fuel, JET_A1, safBlend } from '../../src/fuel.ts';
import { goldenJson, numbers, printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

type List = readonly (number | null)[];
interface Case {
  readonly name: string;
  readonly aircraft_type: string;
  readonly fuel: { readonly saf_percent: number };
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly parameters: Readonly<Record<string, boolean | number | null>>;
  readonly inputs: Readonly<Record<string, List>>;
  readonly expected: Readonly<Record<string, List>>;
  readonly expected_attributes: Readonly<Record<string, string | number | null>>;
}

const ATTRIBUTES: Readonly<Record<string, keyof FlightAttributes>> = {
  takeoff_mass: 'takeoffMassKg',
  payload: 'payloadKg',
  passenger_load_factor: 'passengerLoadFactor',
  cargo_load_factor: 'cargoLoadFactor',
  aircraft_role: 'aircraftRole',
  origin_airport_icao: 'originAirportIcao',
  aircraft_age_yrs: 'aircraftAgeYears',
  aircraft_mass: 'aircraftMassKg',
  engine_uid: 'engineUid',
};

function attributesOf(item: Case): FlightAttributes {
  const given = Object.entries(item.attributes).map(([name, value]) => {
    const key = ATTRIBUTES[name];
    if (key === undefined) throw new Error(`attribute ${name} of ${item.name} has no counterpart`);
    return [key, value];
  });
  const saf = item.fuel.saf_percent;
  return {
    ...Object.fromEntries(given),
    aircraftType: item.aircraft_type,
    fuel: saf === 0 ? JET_A1 : safBlend(saf),
  };
}

function paramsOf({ parameters }: Case): EvaluationParams {
  const known = ['use_meem', 'correct_fuel_flow', 'max_mach_buffer', 'eta_over_eta_b_min', 'n_iter'];
  const unknown = Object.keys(parameters).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`unknown parameters ${unknown}`);
  return {
    performance: {
      ...('correct_fuel_flow' in parameters && { correctFuelFlow: parameters.correct_fuel_flow === true }),
      ...('max_mach_buffer' in parameters && { maxMachBuffer: Number(parameters.max_mach_buffer) }),
      ...('eta_over_eta_b_min' in parameters && {
        etaOverEtaBMin: parameters.eta_over_eta_b_min as number | null,
      }),
      ...('n_iter' in parameters && { iterations: Number(parameters.n_iter) }),
    },
    emissions: { useMeem: parameters.use_meem === true },
    engine: { unknown: 'constant' },
  };
}

function amountsOf(columns: EvaluatedColumns, timeMs: Float64Array, fuel: Fuel): EmissionAmounts {
  const make = (): Float64Array => new Float64Array(timeMs.length);
  const amounts = {
    co2: make(),
    h2o: make(),
    so2: make(),
    sulphates: make(),
    organicCarbon: make(),
    nox: make(),
    co: make(),
    hc: make(),
    nvpmMass: make(),
    nvpmNumber: make(),
  };
  emissionAmountsInto(amounts, columns.fuelFlowKgS, segmentDurationInto(make(), timeMs), columns, fuel);
  return amounts;
}

goldenJson<readonly Case[]>(
  'flights_performance_emissions.json',
  (golden, cases) => {
    for (const item of cases) {
      const timeMs = Float64Array.from(item.inputs.time as unknown as string[], (text) => Date.parse(text));
      const input = (name: string): Float64Array => numbers(item.inputs[name] ?? []);
      const { columns, facts } = evaluateFlight(
        {
          timeMs,
          longitude: input('longitude_deg'),
          latitude: input('latitude_deg'),
          altitudeFt: input('altitude_ft'),
          airTemperatureK: input('temperature_k'),
          eastwardWindMS: input('u_m_s'),
          northwardWindMS: input('v_m_s'),
          specificHumidity: input('specific_humidity'),
          aircraftMassKg: item.inputs.aircraft_mass && input('aircraft_mass'),
        },
        attributesOf(item),
        paramsOf(item),
      );
      const emitted = amountsOf(columns, timeMs, attributesOf(item).fuel ?? JET_A1);
      const actual: Readonly<Record<string, Float64Array>> = {
        true_airspeed: columns.trueAirspeedMS,
        aircraft_mass: columns.aircraftMassKg,
        engine_efficiency: columns.engineEfficiency,
        fuel_flow: columns.fuelFlowKgS,
        fuel_burn: columns.fuelBurnKg,
        thrust: columns.thrustN,
        rocd: columns.rocdFtMin,
        fuel_flow_per_engine: columns.fuelFlowPerEngineKgS,
        thrust_setting: columns.thrustSetting,
        nox_ei: columns.noxEi,
        co_ei: columns.coEi,
        hc_ei: columns.hcEi,
        nvpm_ei_m: columns.nvpmEiM,
        nvpm_ei_n: columns.nvpmEiN,
        co2: emitted.co2,
        h2o: emitted.h2o,
        so2: emitted.so2,
        sulphates: emitted.sulphates,
        oc: emitted.organicCarbon,
        nox: emitted.nox,
        co: emitted.co,
        hc: emitted.hc,
        nvpm_mass: emitted.nvpmMass,
        nvpm_number: emitted.nvpmNumber,
      };
      // The reference holds its constant indices in single precision.
      const tolerance = facts.nvpmDataSource === 'Constant' ? { relative: 1e-7 } : {};
      for (const [name, expected] of Object.entries(item.expected)) {
        golden.compareAll(`${item.name} ${name}`, actual[name] ?? [], numbers(expected), tolerance);
      }
      const attributes: Readonly<Record<string, number | string | null | undefined>> = {
        ...item.attributes,
        aircraft_type: item.aircraft_type,
        engine_deterioration_factor: facts.engineDeterioration,
        aircraft_performance_model: 'PS',
        aircraft_type_ps: facts.performanceType,
        n_engine: facts.engineCount,
        wingspan: facts.wingspanM,
        max_mach: facts.maxMach,
        max_altitude: facts.maxAltitudeM,
        aircraft_role: facts.payload?.aircraftRole,
        n_seats: facts.payload?.seatCount,
        passenger_load_factor: facts.payload?.passengerLoadFactor,
        cargo_load_factor: facts.payload?.cargoLoadFactor,
        payload: facts.payload?.payloadKg,
        total_fuel_burn: facts.totalFuelBurnKg,
        engine_uid: facts.engineUid,
        engine_uid_used: facts.engineUidUsed,
        gaseous_data_source: facts.gaseousDataSource,
        nvpm_data_source: facts.nvpmDataSource,
        total_co2: facts.totals.co2,
        total_h2o: facts.totals.h2o,
        total_so2: facts.totals.so2,
        total_sulphates: facts.totals.sulphates,
        total_oc: facts.totals.organicCarbon,
        total_nox: facts.totals.nox,
        total_co: facts.totals.co,
        total_hc: facts.totals.hc,
        total_nvpm_mass: facts.totals.nvpmMass,
        total_nvpm_number: facts.totals.nvpmNumber,
      };
      for (const [name, expected] of Object.entries(item.expected_attributes)) {
        const where = `${item.name} ${name}`;
        if (typeof expected === 'number')
          golden.compare(where, Number(attributes[name]), expected, tolerance);
        else golden.compareText(where, String(attributes[name]), String(expected));
      }
    }
  },
  { absolute: 0 },
);
