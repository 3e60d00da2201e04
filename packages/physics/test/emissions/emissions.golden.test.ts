import { machFromAirspeed } from '../../src/atmosphere/mach.ts';
import {
  createEmissionsModel,
  DEFAULT_EMISSIONS_PARAMS,
  type EmissionIndices,
  emissionIndicesInto,
} from '../../src/emissions/emissions.ts';
import {
  airToFuelRatioCruise,
  airToFuelRatioGround,
  combustorInletPressurePa,
  combustorInletTemperatureK,
  inletPressurePa,
  inletTemperatureK,
  t4t2Cruise,
  turbineInletTemperatureK,
} from '../../src/emissions/engine-cycle.ts';
import { gaseousEngine, nvpmEngine, resolveEngineUid, selectEngine } from '../../src/emissions/engines.ts';
import { coHcProfile, noxProfile, specificHumidityOfFfm2 } from '../../src/emissions/gaseous.ts';
import { hydrogenMassFactor, hydrogenNumberFactor } from '../../src/emissions/hydrogen.ts';
import {
  foxImfoxMassEi,
  foxMassEi,
  fractalNumberEi,
  imfoxMassEi,
  legacyMeanDiameterM,
  legacyNvpmInto,
} from '../../src/emissions/legacy.ts';
import { meemProfiles } from '../../src/emissions/meem.ts';
import { nvpmMeasurements, t4t2Profiles } from '../../src/emissions/nvpm.ts';
import {
  combustorExitConcentration,
  combustorExitDensity,
  exhaustVolume,
  geometricMeanDiameterNm,
  instrumentConcentration,
  scope11MassEi,
  scope11NumberEi,
  scope11Stages,
  systemLossFactor,
} from '../../src/emissions/scope11.ts';
import { JET_A1, safBlend } from '../../src/fuel.ts';
import { type GoldenCsv, goldenCsv, goldenJson, numbers, printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

/** Emission indices are tiny: no absolute tolerance. */
const strict = { absolute: 0 };

/** A record of numbers for every row from the named columns; then each output is compared by name. */
function rowsOf<Name extends string>(golden: GoldenCsv, names: readonly Name[]): Record<Name, number>[] {
  const columns = names.map((name) => [name, golden.column(name)] as const);
  return Array.from(
    { length: golden.rowCount },
    (_, row) =>
      Object.fromEntries(columns.map(([name, column]) => [name, column[row]])) as Record<Name, number>,
  );
}

function checkAll(golden: GoldenCsv, rows: readonly Readonly<Record<string, number>>[]): void {
  for (const name of Object.keys(rows[0] ?? {})) golden.check(name, (i) => rows[i]?.[name] ?? Number.NaN);
}

goldenCsv(
  'engine_uid_resolution.csv',
  (golden) => {
    const uids = golden.text('engine_uid');
    golden.text('engine_uid_used').forEach((expected, row) => {
      golden.compareText(`row ${row}`, resolveEngineUid(uids[row] ?? '') ?? '', expected);
    });
  },
  strict,
);

goldenCsv(
  'engine_cycle.csv',
  (golden) => {
    const rows = rowsOf(golden, [
      'true_airspeed_m_s',
      'thrust_setting',
      'temperature_k',
      'pressure_pa',
      'pressure_ratio',
      'q_fuel_j_kg',
    ]);
    checkAll(
      golden,
      rows.map((row) => {
        const thrust = row.thrust_setting;
        const mach = machFromAirspeed(row.true_airspeed_m_s, row.temperature_k);
        const t2 = inletTemperatureK(row.temperature_k, mach);
        const p2 = inletPressurePa(row.pressure_pa, mach);
        const p3 = combustorInletPressurePa(p2, row.pressure_ratio, thrust);
        const t3 = combustorInletTemperatureK(t2, p3 / p2);
        const ground = airToFuelRatioGround(thrust);
        return {
          mach,
          t2_k: t2,
          p2_pa: p2,
          p3_pa: p3,
          t3_k: t3,
          afr_ground: ground,
          afr_cruise: airToFuelRatioCruise(thrust, t2),
          t4_t2_ground: turbineInletTemperatureK(ground, t3, row.q_fuel_j_kg) / t2,
          t4_t2_cruise: t4t2Cruise(thrust, row.temperature_k, mach, row.pressure_ratio, row.q_fuel_j_kg),
        };
      }),
    );
  },
  strict,
);

goldenCsv(
  'nvpm_hydrogen_correction.csv',
  (golden) => {
    const rows = rowsOf(golden, ['hydrogen_content_percent', 'thrust_setting']);
    checkAll(
      golden,
      rows.map((row) => ({
        mass_factor: hydrogenMassFactor(row.hydrogen_content_percent, row.thrust_setting),
        number_factor: hydrogenNumberFactor(row.hydrogen_content_percent, row.thrust_setting),
      })),
    );
  },
  strict,
);

goldenCsv(
  'scope11.csv',
  (golden) => {
    const rows = rowsOf(golden, [
      'smoke_number',
      'air_fuel_ratio',
      'bypass_ratio',
      'temperature_k',
      'pressure_pa',
      'thrust_setting',
      'pressure_ratio',
    ]);
    checkAll(
      golden,
      rows.map((row) => {
        const concentration = instrumentConcentration(row.smoke_number);
        const mass = scope11MassEi(row.smoke_number, row.air_fuel_ratio, row.bypass_ratio);
        const density = combustorExitDensity(
          row.temperature_k,
          row.pressure_pa,
          row.thrust_setting,
          row.pressure_ratio,
          row.air_fuel_ratio,
        );
        const exit = combustorExitConcentration(concentration, row.bypass_ratio, density);
        const diameter = geometricMeanDiameterNm(exit);
        return {
          concentration_instrument_ug_m3: concentration,
          system_loss_factor: systemLossFactor(concentration, row.bypass_ratio),
          exhaust_volume_m3_kg: exhaustVolume(row.air_fuel_ratio, row.bypass_ratio),
          nvpm_mass_ei_kg_kg: mass,
          density_combustor_exit_kg_m3: density,
          concentration_combustor_exit_ug_m3: exit,
          geometric_mean_diameter_nm: diameter,
          nvpm_number_ei_per_kg: scope11NumberEi(mass, diameter),
        };
      }),
    );
  },
  strict,
);

goldenCsv(
  'humidity_from_rh_60.csv',
  (golden) => {
    const rows = rowsOf(golden, ['temperature_k', 'pressure_pa', 'rh']);
    checkAll(
      golden,
      rows.map((row) => ({
        specific_humidity: specificHumidityOfFfm2(row.temperature_k, row.pressure_pa, row.rh),
      })),
    );
  },
  strict,
);

type Knots = Readonly<Record<string, readonly number[]>>;
goldenJson<readonly (Knots & { readonly engine_uid: string })[]>(
  'emission_profiles.json',
  (golden, engines) => {
    for (const item of engines) {
      const uid = item.engine_uid;
      const gaseous = gaseousEngine(uid);
      if (gaseous === null) throw new Error(`${uid} is not in the table`);
      const nox = noxProfile(gaseous);
      const co = coHcProfile(gaseous, gaseous.coEi);
      const hc = coHcProfile(gaseous, gaseous.hcEi);
      const actual: Record<string, Float64Array> = {
        nox_ln_fuel_flow: nox.x,
        nox_ln_ei: nox.y,
        co_ln_fuel_flow: co.x,
        co_ln_ei: co.y,
        hc_ln_fuel_flow: hc.x,
        hc_ln_ei: hc.y,
        scope11_mass_ei: scope11Stages(gaseous).massEi,
        scope11_number_ei: scope11Stages(gaseous).numberEi,
      };
      const measured = nvpmMeasurements(gaseous, nvpmEngine(uid));
      for (const hydrogen of [13.8, 14.55, 15.3]) {
        if (measured === null) continue;
        const t4t2 = t4t2Profiles(measured, hydrogen);
        const meem = meemProfiles(measured, hydrogen);
        actual[`t4_t2_h${hydrogen}`] = t4t2.mass.x;
        actual[`nvpm_mass_ei_h${hydrogen}`] = t4t2.mass.y;
        actual[`nvpm_number_ei_h${hydrogen}`] = t4t2.number.y;
        actual[`meem_mass_fuel_flow_h${hydrogen}`] = meem.mass.x;
        actual[`meem_mass_ei_h${hydrogen}`] = meem.mass.y;
        actual[`meem_number_fuel_flow_h${hydrogen}`] = meem.number.x;
        actual[`meem_number_ei_h${hydrogen}`] = meem.number.y;
      }
      for (const [name, expected] of Object.entries(item)) {
        if (name === 'engine_uid') continue;
        golden.compareAll(`${uid} ${name}`, actual[name] ?? [], numbers(expected as readonly number[]));
      }
    }
  },
);

goldenCsv(
  'emissions_point.csv',
  (golden) => {
    const uids = golden.text('engine_uid');
    const rows = rowsOf(golden, [
      'saf_percent',
      'use_meem',
      'true_airspeed_m_s',
      'temperature_k',
      'pressure_pa',
      'specific_humidity',
      'fuel_flow_per_engine_kg_s',
    ]);
    const used = golden.text('engine_uid_used');
    const gaseousSource = golden.text('gaseous_data_source');
    const nvpmSource = golden.text('nvpm_data_source');
    const expected = rowsOf(golden, [
      'thrust_setting',
      'nox_ei_kg_kg',
      'co_ei_kg_kg',
      'hc_ei_kg_kg',
      'nvpm_mass_ei_kg_kg',
      'nvpm_number_ei_per_kg',
    ]);
    rows.forEach((row, i) => {
      const engine = selectEngine({ engineUid: uids[i] || undefined }, { unknown: 'constant' });
      const fuel = row.saf_percent === 0 ? JET_A1 : safBlend(row.saf_percent);
      const model = createEmissionsModel(engine, fuel, {
        ...DEFAULT_EMISSIONS_PARAMS,
        useMeem: row.use_meem === 1,
      });
      const one = (value = 0): Float64Array => Float64Array.of(value);
      const out: EmissionIndices = {
        thrustSetting: one(),
        noxEi: one(),
        coEi: one(),
        hcEi: one(),
        nvpmEiM: one(),
        nvpmEiN: one(),
      };
      emissionIndicesInto(
        out,
        {
          trueAirspeedMS: one(row.true_airspeed_m_s),
          airTemperatureK: one(row.temperature_k),
          airPressurePa: one(row.pressure_pa),
          specificHumidity: one(row.specific_humidity),
          fuelFlowPerEngineKgS: one(row.fuel_flow_per_engine_kg_s),
        },
        model,
      );
      golden.compareText(`engine_uid_used[${i}]`, engine.engineUidUsed ?? '', used[i] ?? '');
      golden.compareText(`gaseous_data_source[${i}]`, model.gaseousDataSource, gaseousSource[i] ?? '');
      golden.compareText(`nvpm_data_source[${i}]`, model.nvpmDataSource, nvpmSource[i] ?? '');
      // The reference holds its constant indices in single precision.
      const gases = { relative: model.gaseousDataSource === 'Constant' ? 1e-7 : 1e-8 };
      const particles = { relative: model.nvpmDataSource === 'Constant' ? 1e-7 : 1e-8 };
      const wanted = expected[i] as (typeof expected)[number];
      golden.compare(`thrust_setting[${i}]`, out.thrustSetting[0] as number, wanted.thrust_setting);
      golden.compare(`nox_ei[${i}]`, out.noxEi[0] as number, wanted.nox_ei_kg_kg, gases);
      golden.compare(`co_ei[${i}]`, out.coEi[0] as number, wanted.co_ei_kg_kg, gases);
      golden.compare(`hc_ei[${i}]`, out.hcEi[0] as number, wanted.hc_ei_kg_kg, gases);
      golden.compare(`nvpm_ei_m[${i}]`, out.nvpmEiM[0] as number, wanted.nvpm_mass_ei_kg_kg, particles);
      golden.compare(`nvpm_ei_n[${i}]`, out.nvpmEiN[0] as number, wanted.nvpm_number_ei_per_kg, particles);
    });
  },
  strict,
);

// The reference evaluates constants of these methods in single precision.
goldenCsv(
  'nvpm_legacy.csv',
  (golden) => {
    const rows = rowsOf(golden, [
      'pressure_pa',
      'temperature_k',
      'true_airspeed_m_s',
      'thrust_setting',
      'fuel_flow_per_engine_kg_s',
      'pressure_ratio',
    ]);
    checkAll(
      golden,
      rows.map((row) => {
        const mach = machFromAirspeed(row.true_airspeed_m_s, row.temperature_k);
        const { thrust_setting: thrust, fuel_flow_per_engine_kg_s: flow, pressure_ratio: ratio } = row;
        const fox = foxMassEi(row.pressure_pa, row.temperature_k, mach, thrust, flow, ratio);
        const imfox = imfoxMassEi(thrust, flow);
        const loop = legacyNvpmInto(new Float64Array(1), {
          airPressurePa: Float64Array.of(row.pressure_pa),
          airTemperatureK: Float64Array.of(row.temperature_k),
          mach: Float64Array.of(mach),
          thrustSetting: Float64Array.of(thrust),
          fuelFlowPerEngineKgS: Float64Array.of(flow),
          pressureRatio: ratio,
          hydrogenPercent: JET_A1.hydrogenContentPercent,
        });
        const mass = loop[0] as number;
        golden.compare('loop', mass, foxImfoxMassEi(fox, imfox));
        const diameter = legacyMeanDiameterM(
          t4t2Cruise(thrust, row.temperature_k, mach, ratio, JET_A1.qFuelJKg),
        );
        return {
          fox_mass_ei_kg_kg: fox,
          imfox_mass_ei_kg_kg: imfox,
          mass_ei_kg_kg: mass,
          geometric_mean_diameter_m: diameter,
          fractal_aggregate_number_ei_per_kg: fractalNumberEi(mass, diameter),
        };
      }),
    );
  },
  { relative: 5e-6, absolute: 0 },
);
