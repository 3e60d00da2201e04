import { relativeHumidityIceInto } from '@contrails/physics/atmosphere';
import type { ScaleHumidity } from '@contrails/physics/cocip';
import { humidityScalingByName } from '@contrails/physics/humidity-scaling';

/** Names of the reference files that differ from the public ones. */
const PUBLIC_NAMES: Record<string, string> = {
  constant: 'constant_scale',
  exponential_boost_latitude: 'exponential_boost_latitude_customization',
};

/** The humidity scaling that a reference case asks for; null leaves humidity as it is. */
export function scalingFrom(
  wanted: (Record<string, number | string | undefined> & { name: string }) | null,
): ScaleHumidity {
  if (wanted === null) {
    return (humidity, rhi, temperature, pressure, _latitude, count) => {
      const part = (column: Float64Array) => column.subarray(0, count);
      relativeHumidityIceInto(part(rhi), part(humidity), part(temperature), part(pressure));
    };
  }
  const number = (name: string, key: string) =>
    wanted[name] === undefined ? {} : { [key]: Number(wanted[name]) };
  const scaling = humidityScalingByName(PUBLIC_NAMES[wanted.name] ?? wanted.name, {
    ...number('rhi_adj', 'rhiAdj'),
    ...number('rhi_boost_exponent', 'rhiBoostExponent'),
    ...number('clip_upper', 'clipUpper'),
  });
  return (humidity, rhi, temperature, pressure, latitude, count) => {
    const part = (column: Float64Array) => column.subarray(0, count);
    scaling.scaleInto(
      part(humidity),
      part(rhi),
      part(humidity),
      part(temperature),
      part(pressure),
      part(latitude),
    );
  };
}
