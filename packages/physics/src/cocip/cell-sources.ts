/** Grid cells as sources of contrails: each is crossed by one aircraft of a type in nominal cruise. */
import { type NominalCruise, nominalCruiseInto } from '../aircraft/nominal-cruise.ts';
import type { AircraftType } from '../aircraft/types.ts';
import { type EmissionsModel, emissionIndicesInto } from '../emissions/emissions.ts';
import { sacInto } from '../formation/sac-columns.ts';
import type { Fuel } from '../fuel.ts';
import type { ContrailSources } from './contrail-sources.ts';
import type { ScaleHumidity, Weather, WeatherPoints } from './weather.ts';

/** The aircraft that crosses every cell. */
export interface CellAircraft {
  readonly type: AircraftType;
  /** Of its engine and its fuel. */
  readonly emissions: EmissionsModel;
  readonly fuel: Fuel;
  /** [kg]; the nominal one unless given. */
  readonly massKg?: number | undefined;
}

/**
 * No aircraft is more efficient. The criterion only gets easier with efficiency, so a cell that fails it here has no
 * contrail with any aircraft, and needs no nominal cruise.
 */
const MAX_ENGINE_EFFICIENCY = 0.6;

export interface CellSources {
  /** The cells in which a contrail can form at all. */
  readonly sources: ContrailSources;
  /** Which point each row of the sources is. */
  readonly cells: Uint32Array;
  /** Points without weather: nothing is known of their contrails. */
  readonly unknown: Uint32Array;
}

/** Weather, nominal cruise, emissions and formation criterion of the cells at `points`. */
export function cellSources(
  points: WeatherPoints,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  { type, emissions, fuel, massKg }: CellAircraft,
): CellSources {
  const count = points.level.length;
  const column = () => new Float64Array(count);
  const pressurePa = points.level.map((hpa) => 100 * hpa);
  const [temperature, u, v, humidity, rhi, sac] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ];
  weather.sample([temperature, u, v, humidity], points, count);
  scaleHumidity(humidity, rhi, temperature, pressurePa, points.latitude, count);
  const air = { specificHumidity: humidity, temperatureK: temperature, pressurePa };
  sacInto({ sac }, { ...air, ...fuel, engineEfficiency: MAX_ENGINE_EFFICIENCY }, 'grid');

  const cells = placesOf(sac, 1);
  const rows = cells.length;
  const gather = (values: Float64Array) => {
    const gathered = new Float64Array(rows);
    for (let k = 0; k < rows; k++) gathered[k] = values[cells[k] as number] as number;
    return gathered;
  };
  const make = () => new Float64Array(rows);
  const [T, p, q] = [gather(temperature), gather(pressurePa), gather(humidity)];
  const { cruise, nvpmEiN } = cruiseOf({ type, emissions, fuel, massKg }, p, T, q);
  const [formed, slope, thresholdK, rh] = [make(), make(), make(), make()];
  sacInto(
    { sac: formed, slope, thresholdK, rh },
    {
      specificHumidity: q,
      temperatureK: T,
      pressurePa: p,
      ...fuel,
      engineEfficiency: cruise.engineEfficiency,
    },
    'grid',
  );
  // Where the criterion does not hold there is no temperature below which it would.
  for (let k = 0; k < rows; k++) if (formed[k] !== 1) thresholdK[k] = Number.NaN;
  const sources: ContrailSources = {
    count: rows,
    longitude: gather(points.longitude),
    latitude: gather(points.latitude),
    level: gather(points.level),
    pressure: p,
    timeMs: gather(points.timeMs),
    flight: make(),
    waypoint: make().map((_, k) => k),
    temperature: T,
    humidity: q,
    u: gather(u),
    v: gather(v),
    sac: formed,
    mixingSlope: slope,
    thresholdK,
    rh,
    trueAirspeed: cruise.trueAirspeedMS,
    fuelFlow: cruise.fuelFlowKgS,
    aircraftMass: cruise.aircraftMassKg,
    wingspan: make().fill(type.wingspanM),
    nvpmEiN,
    eiH2o: make().fill(fuel.eiH2o),
  };
  return { sources, cells, unknown: placesWithout(temperature, humidity) };
}

/** Nominal cruise of the aircraft in air [Pa, K, kg kg⁻¹], and its soot particles [kg⁻¹]. */
export function cruiseOf(
  { type, emissions, fuel, massKg }: CellAircraft,
  pressurePa: Float64Array,
  temperatureK: Float64Array,
  specificHumidity: Float64Array,
): { readonly cruise: NominalCruise; readonly nvpmEiN: Float64Array } {
  const make = () => new Float64Array(pressurePa.length);
  const cruise = {
    aircraftMassKg: make(),
    engineEfficiency: make(),
    fuelFlowKgS: make(),
    trueAirspeedMS: make(),
  };
  nominalCruiseInto(cruise, type, pressurePa, temperatureK, { qFuelJKg: fuel.qFuelJKg, massKg });
  const indices = {
    thrustSetting: make(),
    noxEi: make(),
    coEi: make(),
    hcEi: make(),
    nvpmEiM: make(),
    nvpmEiN: make(),
  };
  emissionIndicesInto(
    indices,
    {
      trueAirspeedMS: cruise.trueAirspeedMS,
      airTemperatureK: temperatureK,
      airPressurePa: pressurePa,
      specificHumidity,
      fuelFlowPerEngineKgS: cruise.fuelFlowKgS.map((flow) => flow / type.engineCount),
    },
    emissions,
  );
  return { cruise, nvpmEiN: indices.nvpmEiN };
}

function placesWithout(temperature: Float64Array, humidity: Float64Array): Uint32Array {
  const indices: number[] = [];
  for (let i = 0; i < temperature.length; i++) {
    if (Number.isNaN((temperature[i] as number) + (humidity[i] as number))) indices.push(i);
  }
  return Uint32Array.from(indices);
}

function placesOf(values: Float64Array, wanted: number): Uint32Array {
  const indices = new Uint32Array(values.length);
  let found = 0;
  for (let i = 0; i < values.length; i++) if (values[i] === wanted) indices[found++] = i;
  return indices.slice(0, found);
}
