import { type MetField, weatherOf } from '@contrails/met';
import { defineKernel } from '@contrails/runtime/compute';
import { type ChosenScaling, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import type { GridLayout } from './file.ts';
import { pressureOf } from './layout.ts';
import { encodeLevel } from './level.ts';

interface Input {
  /** Weather that was opened for `air`. */
  readonly weather: MetField;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly timeMs: number;
  readonly scaling: ChosenScaling;
  readonly layout: GridLayout;
  readonly flightLevels: readonly number[];
}

/** A block is a flight level: the packed planes of temperature, eastward wind, northward wind and humidity over ice. */
export default defineKernel<Input, Uint8Array[]>((input) => {
  const { longitude, latitude, timeMs, scaling, layout, flightLevels } = input;
  const weather = weatherOf(input.weather, undefined);
  const scale = scaleHumidityBy(scaling);
  const count = longitude.length * latitude.length;
  const column = () => new Float64Array(count);
  const points = { longitude: column(), latitude: column(), level: column(), timeMs: column().fill(timeMs) };
  longitude.forEach((degrees, i) => {
    points.longitude.fill(degrees, i * latitude.length, (i + 1) * latitude.length);
    points.latitude.set(latitude, i * latitude.length);
  });
  const air = [column(), column(), column(), column()] as const;
  const [temperature, eastward, northward, humidity] = air;
  const [rhi, pressure] = [column(), column()];
  return (index, context) => {
    const flightLevel = flightLevels[index];
    if (flightLevel === undefined) throw new RangeError(`there is no level ${index}`);
    const levelHpa = pressureOf(flightLevel);
    weather.sample(air, { ...points, level: points.level.fill(levelHpa) }, count);
    scale(humidity, rhi, temperature, pressure.fill(100 * levelHpa), points.latitude, count);
    context.throwIfCancelled();
    return [temperature, eastward, northward, rhi].map((values) => {
      const plane = { values: new Float32Array(values), longitude, latitude, flightLevel, properties: {} };
      const [packed] = encodeLevel(plane, { format: 'netcdf', layout });
      if (packed === undefined) throw new RangeError('a level was encoded to nothing');
      // Buffers of zlib may share their memory with others; only what is our own can be handed over.
      const own = new Uint8Array(packed);
      context.transfer(own.buffer);
      return own;
    });
  };
});
