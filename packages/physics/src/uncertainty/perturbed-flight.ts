/** The contrails of flights under one sample: parameters of the model and humidity change, performance and track do not. */
import { ESTIMATED_ALBEDO_RANGE } from '../atmosphere/planetary-albedo.ts';
import type { ContrailSources } from '../cocip/contrail-sources.ts';
import { joinSources } from '../cocip/contrail-sources.ts';
import { contrailSources, criterionOf, type EvaluatedFlight } from '../cocip/flight-sources.ts';
import type { CocipParams } from '../cocip/params.ts';
import { followContrails } from '../cocip/trajectory.ts';
import type { ScaleHumidity, Weather } from '../cocip/weather.ts';
import type { FlightAttributes } from '../flight/attributes.ts';
import { clip } from '../numerics/lerp.ts';
import { fieldCoordinates, humidityFactor, humidityField } from './humidity-field.ts';
import { type Sample, SCALAR_NAMES, UNCERTAIN_SCALARS, type UncertaintyGroup } from './sampler.ts';

/** A flight of which everything is known but its contrails, and what humidity is before it is scaled. */
export interface PerturbableFlight {
  readonly evaluated: EvaluatedFlight;
  readonly attributes: FlightAttributes;
  /** At the waypoints, NaN outside the weather. */
  readonly unscaledHumidity: Float64Array;
  /** Where the waypoints are in the field of humidity errors. */
  readonly coordinates: Float64Array;
}

/** Where samples differ and where the contrails go. */
export interface PerturbedAir {
  readonly weather: Weather;
  readonly scaleHumidity: ScaleHumidity;
  /** Of the nominal run. */
  readonly params: CocipParams;
  readonly groups: readonly UncertaintyGroup[];
  /** Called after every step; may throw to stop. */
  readonly onStep?: ((timeMs: number) => void) | undefined;
}

export function makePerturbable(
  evaluated: EvaluatedFlight,
  attributes: FlightAttributes,
  unscaledHumidity: Float64Array,
): PerturbableFlight {
  return { evaluated, attributes, unscaledHumidity, coordinates: fieldCoordinates(evaluated.flight) };
}

/** Energy forcing [J] at the waypoints of each flight under a sample; 0 where there is no contrail or nothing is known. */
export function followSample(
  flights: readonly PerturbableFlight[],
  sample: Sample,
  air: PerturbedAir,
): Float64Array[] {
  const factors = flights.map(({ coordinates }) => humidityFactors(sample, coordinates));
  const weather = withAlbedoError(air.weather, sample.albedoError);
  return followPerturbed(flights, factors, paramsOfSample(air.params, sample, air.groups), {
    ...air,
    weather,
  });
}

/** The same weather with an error on the albedos that are estimated. */
export function withAlbedoError(weather: Weather, error: number): Weather {
  const { estimatedAfterMs: afterMs } = weather;
  if (afterMs === undefined || error === 0) return weather;
  const shift = (albedo: Float64Array, times: Float64Array, count: number) => {
    for (let p = 0; p < count; p++) {
      if ((times[p] as number) > afterMs) {
        albedo[p] = clip((albedo[p] as number) + error, ...ESTIMATED_ALBEDO_RANGE);
      }
    }
  };
  return {
    ...weather,
    sampleRadiation(shortwave, longwave, points, count) {
      weather.sampleRadiation(shortwave, longwave, points, count);
      shift(shortwave, points.timeMs, count);
    },
    locate(positions, located) {
      const nominal = weather.locate(positions, located);
      const times = positions.timeMs.slice(0, located);
      return {
        ...nominal,
        sampleRadiation(shortwave, longwave, count) {
          nominal.sampleRadiation(shortwave, longwave, count);
          shift(shortwave, times, count);
        },
      };
    },
  };
}

/** The same with explicit parameters and factors on humidity; undefined: as the weather has it. */
export function followPerturbed(
  flights: readonly PerturbableFlight[],
  factors: readonly (Float64Array | undefined)[],
  params: CocipParams,
  { weather, scaleHumidity, onStep }: Pick<PerturbedAir, 'weather' | 'scaleHumidity' | 'onStep'>,
): Float64Array[] {
  const parts = flights.map((flight, f) => perturbedSources(flight, f, factors[f], params, scaleHumidity));
  const { sources, firstRow } = joinSources(parts);
  const { energyForcing } = followContrails(
    sources,
    firstRow,
    { formation: weather, evolution: () => weather },
    scaleHumidity,
    params,
    onStep && ((_plumes, _count, _step, toMs) => onStep(toMs)),
    [],
  );
  return parts.map((_, f) => energyForcing.subarray(firstRow[f], firstRow[f + 1] ?? sources.count));
}

/** Drawn groups replace the parameters of the nominal run; the others stay as they are. */
export function paramsOfSample(
  params: CocipParams,
  sample: Sample,
  groups: readonly UncertaintyGroup[],
): CocipParams {
  const drawn = SCALAR_NAMES.filter(
    (name) => name !== 'humiditySystematic' && groups.includes(UNCERTAIN_SCALARS[name].group),
  ).map((name) => [name, sample[name]]);
  return {
    ...params,
    ...Object.fromEntries(drawn),
    ...(groups.includes('habit') ? { habitDistributions: sample.habitDistributions } : {}),
  };
}

function humidityFactors(
  { humidityWaves, humiditySystematic }: Sample,
  coordinates: Float64Array,
): Float64Array | undefined {
  if (humidityWaves === null) return undefined;
  return humidityField(humidityWaves, coordinates).map((field) => humidityFactor(humiditySystematic, field));
}

function perturbedSources(
  { evaluated, attributes, unscaledHumidity }: PerturbableFlight,
  index: number,
  factor: Float64Array | undefined,
  params: CocipParams,
  scaleHumidity: ScaleHumidity,
): ContrailSources {
  if (factor === undefined) return contrailSources(evaluated, index, attributes, params);
  const { flight, air } = evaluated;
  const count = flight.timeMs.length;
  const humidity = unscaledHumidity.map((value, i) => value * (factor[i] as number));
  const rhi = new Float64Array(count);
  scaleHumidity(humidity, rhi, air.temperature, flight.airPressurePa, flight.latitude, count);
  // Humidity that was measured is not the weather's, and no error of the weather applies to it.
  flight.specificHumidity?.forEach((given, i) => {
    if (Number.isNaN(given)) return;
    humidity[i] = air.humidity[i] as number;
    rhi[i] = air.rhi[i] as number;
  });
  const perturbed = { ...air, humidity, rhi };
  const criterion = criterionOf(flight, perturbed, evaluated.evaluation, attributes);
  return {
    ...contrailSources({ ...evaluated, air: perturbed, criterion }, index, attributes, params),
    humidityFactor: factor,
  };
}
