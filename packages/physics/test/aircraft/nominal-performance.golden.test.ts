import { nominalCruiseInto } from '../../src/aircraft/nominal-cruise.ts';
import { findPerformanceType } from '../../src/aircraft/types.ts';
import { createEmissionsModel, emissionIndicesInto } from '../../src/emissions/emissions.ts';
import { selectEngine } from '../../src/emissions/engines.ts';
import { JET_A1 } from '../../src/fuel.ts';
import { goldenJson, printWorstDeviations } from '../support/golden.ts';

interface NominalPoint {
  readonly requested_type: string;
  readonly performance_type: string;
  readonly engine_uid_used: string;
  readonly nvpm_data_source: string;
  readonly flight_level: number;
  readonly level_hpa: number;
  readonly air_temperature: number;
  readonly wingspan: number;
  readonly n_engine: number;
  readonly true_airspeed: number;
  readonly aircraft_mass: number;
  readonly engine_efficiency: number;
  readonly fuel_flow: number;
  readonly thrust_setting: number;
  readonly nvpm_ei_n: number;
}

printWorstDeviations();

goldenJson<NominalPoint[]>('../grid/nominal-performance.json', (golden, points) => {
  for (const point of points) {
    const where = `${point.requested_type} at ${point.flight_level}`;
    const aircraft = findPerformanceType(point.requested_type);
    const [pressure, temperature] = [
      Float64Array.of(100 * point.level_hpa),
      Float64Array.of(point.air_temperature),
    ];
    const one = () => new Float64Array(1);
    const cruise = {
      aircraftMassKg: one(),
      engineEfficiency: one(),
      fuelFlowKgS: one(),
      trueAirspeedMS: one(),
    };
    nominalCruiseInto(cruise, aircraft, pressure, temperature);
    golden.compareText(`${where}, type`, aircraft.icaoType, point.performance_type);
    golden.compare(`${where}, wingspan`, aircraft.wingspanM, point.wingspan);
    golden.compare(`${where}, engines`, aircraft.engineCount, point.n_engine);
    golden.compareAll(`${where}, airspeed`, cruise.trueAirspeedMS, [point.true_airspeed]);
    golden.compareAll(`${where}, mass`, cruise.aircraftMassKg, [point.aircraft_mass]);
    golden.compareAll(`${where}, efficiency`, cruise.engineEfficiency, [point.engine_efficiency]);
    golden.compareAll(`${where}, fuel flow`, cruise.fuelFlowKgS, [point.fuel_flow]);

    const engine = selectEngine({ aircraftType: point.requested_type });
    const model = createEmissionsModel(engine, JET_A1);
    const indices = {
      thrustSetting: one(),
      noxEi: one(),
      coEi: one(),
      hcEi: one(),
      nvpmEiM: one(),
      nvpmEiN: one(),
    };
    emissionIndicesInto(
      indices,
      {
        trueAirspeedMS: cruise.trueAirspeedMS,
        airTemperatureK: temperature,
        airPressurePa: pressure,
        specificHumidity: one(),
        fuelFlowPerEngineKgS: cruise.fuelFlowKgS.map((flow) => flow / aircraft.engineCount),
      },
      model,
    );
    golden.compareText(`${where}, engine`, String(engine.gaseous?.uid), point.engine_uid_used);
    golden.compareText(`${where}, source`, model.nvpmDataSource, point.nvpm_data_source);
    golden.compareAll(`${where}, thrust`, indices.thrustSetting, [point.thrust_setting]);
    golden.compareAll(`${where}, particles`, indices.nvpmEiN, [point.nvpm_ei_n]);
  }
});
