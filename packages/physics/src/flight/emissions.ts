import type { AircraftType } from '../aircraft/types.ts';
import {
  createEmissionsModel,
  DEFAULT_EMISSIONS_PARAMS,
  type EmissionsModel,
  type EmissionsParams,
  emissionIndicesInto,
} from '../emissions/emissions.ts';
import { type EngineSelection, selectEngine } from '../emissions/engines.ts';
import { InputError } from '../errors.ts';
import type { Fuel } from '../fuel.ts';
import type { Legs } from './airspeed.ts';
import type { EvaluationParams, FlightAttributes, FlightFacts } from './attributes.ts';
import { columnOf, type EvaluatedColumns, type FlightInAir } from './columns.ts';

export type EmissionsFacts = Pick<
  FlightFacts,
  'engineCount' | 'engineUid' | 'engineUidUsed' | 'gaseousDataSource' | 'nvpmDataSource' | 'warnings'
>;

/**
 * Emission indices of a flight whose performance is known. A flight that supplies its nvPM number needs no
 * engine: without a number of engines its other indices stay unknown.
 */
export function emissionsInto(
  out: EvaluatedColumns,
  flight: FlightInAir,
  attributes: FlightAttributes,
  fuel: Fuel,
  aircraft: AircraftType | null,
  legs: Legs,
  params: EvaluationParams,
): EmissionsFacts {
  const nvpmEiN = columnOf(flight.nvpmEiN, attributes.nvpmEiN, flight.timeMs.length);
  const engine = selectEngine(
    {
      engineUid: attributes.engineUid,
      engineCount: attributes.engineCount ?? aircraft?.engineCount,
      aircraftType: attributes.aircraftType,
    },
    params.engine,
  );
  const model = engine.engineCount === undefined ? null : modelOf(engine, fuel, params.emissions);
  if (model === null && nvpmEiN === undefined) {
    throw new InputError('n_engine is needed: neither it nor a known aircraft_type is given', {
      field: 'n_engine',
    });
  }
  if (model === null) fillUnknown(out);
  else indicesInto(out, flight, legs, engine.engineCount ?? Number.NaN, model);
  if (flight.noxEi !== undefined) out.noxEi.set(flight.noxEi);
  if (flight.nvpmEiM !== undefined) out.nvpmEiM.set(flight.nvpmEiM);
  if (nvpmEiN !== undefined) out.nvpmEiN.set(nvpmEiN);
  const isNvpmGiven = flight.nvpmEiM !== undefined && nvpmEiN !== undefined;
  return {
    engineCount: engine.engineCount ?? null,
    engineUid: engine.engineUid,
    engineUidUsed: engine.engineUidUsed,
    gaseousDataSource: model?.gaseousDataSource ?? null,
    nvpmDataSource: isNvpmGiven ? null : (model?.nvpmDataSource ?? null),
    warnings: isNvpmGiven ? [] : (model?.warnings ?? []),
  };
}

function indicesInto(
  out: EvaluatedColumns,
  flight: FlightInAir,
  legs: Legs,
  engineCount: number,
  model: EmissionsModel,
): void {
  const { fuelFlowPerEngineKgS, fuelFlowKgS } = out;
  for (let i = 0; i < fuelFlowKgS.length; i++) {
    fuelFlowPerEngineKgS[i] = (fuelFlowKgS[i] as number) / engineCount;
  }
  emissionIndicesInto(
    out,
    {
      trueAirspeedMS: out.trueAirspeedMS,
      airTemperatureK: flight.airTemperatureK,
      airPressurePa: flight.airPressurePa,
      ambient: legs.ambient,
      specificHumidity: flight.specificHumidity,
      fuelFlowPerEngineKgS,
      thrustSetting: flight.thrustSetting,
    },
    model,
  );
}

function fillUnknown(out: EvaluatedColumns): void {
  const { fuelFlowPerEngineKgS, thrustSetting, noxEi, coEi, hcEi, nvpmEiM } = out;
  for (const column of [fuelFlowPerEngineKgS, thrustSetting, noxEi, coEi, hcEi, nvpmEiM])
    column.fill(Number.NaN);
}

const models = new WeakMap<Fuel, Map<string, EmissionsModel>>();

/** Flights share few engines and fuels; building the profiles costs a short flight a tenth of its time. */
function modelOf(
  engine: EngineSelection,
  fuel: Fuel,
  given: Partial<EmissionsParams> | undefined,
): EmissionsModel {
  const params = { ...DEFAULT_EMISSIONS_PARAMS, ...given };
  const ofFuel = models.get(fuel) ?? new Map<string, EmissionsModel>();
  models.set(fuel, ofFuel);
  const key = `${engine.engineUidUsed} ${params.useMeem} ${params.defaultNvpmNumberEi}`;
  const known = ofFuel.get(key);
  if (known !== undefined) return known;
  const model = createEmissionsModel(engine, fuel, params);
  ofFuel.set(key, model);
  return model;
}
