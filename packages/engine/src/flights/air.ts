/** The air that flights and contrails see: weather and the scaling of its humidity, made in every thread. */
import {
  type ClimateSources,
  climateAirOf,
  type HumidityMethod,
  type MetField,
  memberHumidity,
  type RadiationField,
  type SampleClimate,
  WEATHER_VARIABLES,
  weatherOf,
} from '@contrails/met';
import type { ScaleHumidity, Weather } from '@contrails/physics/cocip';
import { histogramMatchingWithEckel } from '@contrails/physics/humidity-scaling';
import { ENSEMBLE_SCALING, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import type { TrajectoryOptions } from './options.ts';
import { humidityMethodOf } from './parameters.ts';

/** What weather is made of. */
export interface SharedWeather {
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
  /** Fields with the humidity of all members of the ensemble, for the scaling that uses them. */
  readonly members?: readonly MetField[];
  /** Of weather that was opened for climate change functions. */
  readonly climate?: ClimateSources;
}

interface Air {
  readonly weather: Weather;
  readonly scaleHumidity: ScaleHumidity;
  readonly sampleClimate?: SampleClimate;
}

/** Only what is plain data: open weather has functions, which no thread can be sent. */
export function plainWeather({ levels, radiation, members, climate }: SharedWeather): SharedWeather {
  return {
    levels,
    radiation,
    ...(members === undefined ? {} : { members }),
    ...(climate === undefined ? {} : { climate }),
  };
}

export function openAir(
  { levels, radiation, members, climate }: SharedWeather,
  { scaling, parameters }: Pick<TrajectoryOptions, 'scaling' | 'parameters'>,
): Air {
  const method = humidityMethodOf(parameters);
  const weather = weatherOf(levels, radiation, method);
  const sampled = climate && { sampleClimate: climateAirOf(levels, radiation, climate) };
  if (scaling.name !== ENSEMBLE_SCALING)
    return { weather, scaleHumidity: scaleHumidityBy(scaling), ...sampled };
  const { member } = scaling.options;
  if (members === undefined || member === undefined)
    throw new TypeError(`${ENSEMBLE_SCALING} needs the humidity of all members`);
  return { ...ensembleAir(weather, members, member, method), ...sampled };
}

const HUMIDITY = WEATHER_VARIABLES.indexOf('specific_humidity');

/**
 * Where one member's weather is sampled, so is the humidity of all: the scaling that follows needs it at the same points.
 * Humidity that was not sampled last is an error, because the others would belong to other points.
 */
function ensembleAir(
  weather: Weather,
  fields: readonly MetField[],
  member: number,
  method: HumidityMethod,
): Air {
  const others = memberHumidity(fields, method);
  const scaling = histogramMatchingWithEckel(member, method);
  let columns = fields.map(() => new Float64Array(0));
  let sampled: Float64Array | undefined;
  const note = (
    humidity: Float64Array | undefined,
    count: number,
    sample: (columns: Float64Array[]) => void,
  ) => {
    if (humidity === undefined) return;
    if ((columns[0]?.length ?? 0) < count) columns = fields.map(() => new Float64Array(count));
    sample(columns);
    sampled = humidity;
  };
  return {
    weather: {
      ...weather,
      sample(out, points, count) {
        weather.sample(out, points, count);
        note(out[HUMIDITY], count, (into) => others.sample(into, points, count));
      },
      locate(positions, located) {
        const ofMember = weather.locate(positions, located);
        const ofOthers = others.locate(positions, located);
        return {
          sample(out, level, count) {
            ofMember.sample(out, level, count);
            note(out[HUMIDITY], count, (into) => ofOthers.sample(into, level, count));
          },
          sampleRadiation: (shortwave, longwave, count) =>
            ofMember.sampleRadiation(shortwave, longwave, count),
        };
      },
    },
    scaleHumidity(humidity, rhi, temperature, pressure, _latitude, count) {
      if (humidity.buffer !== sampled?.buffer || humidity.byteOffset !== sampled.byteOffset)
        throw new TypeError('the humidity of other members is not known at these points');
      const part = (column: Float64Array) => column.subarray(0, count);
      const all = columns.map((column, m) => part(m === member ? humidity : column));
      scaling.scaleInto(part(humidity), part(rhi), all, part(temperature), part(pressure));
    },
  };
}
