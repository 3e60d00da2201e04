import {
  type ClimateSources,
  climateAirOf,
  type MetField,
  type RadiationField,
  weatherOf,
} from '@contrails/met';
import { JET_A1 } from '@contrails/physics/emissions';
import { sacLevel } from '@contrails/physics/formation';
import { defineKernel } from '@contrails/runtime/compute';
import { type ClimateOptions, functionsAlong } from '../flights/flight-climate.ts';
import { type ChosenScaling, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import type { AccfVariable } from './accf-variables.ts';
import { pressureOf } from './layout.ts';
import { encodeLevel, type LevelEncoding, type LevelPlane } from './level.ts';

interface Input {
  /** Weather that was opened for `accf`. */
  readonly weather: MetField;
  readonly radiation: RadiationField | undefined;
  readonly sources: ClimateSources;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly timeMs: number;
  readonly scaling: ChosenScaling;
  readonly climate: ClimateOptions;
  readonly engineEfficiency: number;
  readonly variables: readonly AccfVariable[];
  readonly encoding: LevelEncoding;
  readonly levels: readonly Pick<LevelPlane, 'flightLevel' | 'properties'>[];
}

/** A block is a flight level: the encoded planes of the variables. Meridians are evaluated in turn, which bounds the memory. */
export default defineKernel<Input, Uint8Array[][]>((input) => {
  const { longitude, latitude, climate, variables, levels, encoding } = input;
  const weather = weatherOf(input.weather, undefined);
  const sampleClimate = climateAirOf(input.weather, input.radiation, input.sources);
  const scale = scaleHumidityBy(input.scaling);
  const rows = latitude.length;
  const column = () => new Float64Array(rows);
  const points = { longitude: column(), latitude, level: column(), timeMs: column().fill(input.timeMs) };
  const air = [column(), column(), column(), column()] as const;
  const [temperature, , , humidity] = air;
  const [rhi, sac, pressure] = [column(), column(), column()];
  return (index, context) => {
    const level = levels[index];
    if (level === undefined) throw new RangeError(`there is no level ${index}`);
    const levelHpa = pressureOf(level.flightLevel);
    points.level.fill(levelHpa);
    pressure.fill(100 * levelHpa);
    const sacInto = sacLevel({
      pressurePa: 100 * levelHpa,
      engineEfficiency: input.engineEfficiency,
      fuel: JET_A1,
    });
    const planes = variables.map((name) => ({ name, values: new Float32Array(longitude.length * rows) }));
    longitude.forEach((degrees, i) => {
      points.longitude.fill(degrees);
      weather.sample(air, points, rows);
      scale(humidity, rhi, temperature, pressure, latitude, rows);
      if (climate.needsCriterion) sacInto(sac, humidity, temperature);
      const values = functionsAlong(
        { ...points, levelHpa: points.level },
        { temperature, rhi },
        sampleClimate,
        climate.functions,
        climate.needsCriterion ? sac : undefined,
      );
      for (const plane of planes) plane.values.set(values[plane.name], i * rows);
      if (i % MERIDIANS_AT_ONCE === 0) context.throwIfCancelled();
    });
    return planes.map(({ values }) =>
      encodeLevel({ ...level, values, longitude, latitude }, encoding).map((bytes) => {
        // Buffers of zlib may share their memory with others; only what is our own can be handed over.
        const own = new Uint8Array(bytes);
        context.transfer(own.buffer);
        return own;
      }),
    );
  };
});

/** Meridians between cancellation checks. */
const MERIDIANS_AT_ONCE = 64;
