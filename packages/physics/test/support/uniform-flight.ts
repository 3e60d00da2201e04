import type * as Physics from './physics.ts';

/**
 * The contrails of a flight through air that hardly changes. It uses nothing but its argument, so its text can be run
 * where the package is, such as on a page. East of `unknownEastOf` [°] the pressure velocity is missing.
 */
export function contrailsInUniformAir(
  physics: typeof Physics,
  unknownEastOf = 180,
): { energy: number[]; ageS: number[]; adrift: number[] } {
  const count = 40;
  const column = (at: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => at(i));
  const track = {
    timeMs: column((i) => Date.UTC(2024, 5, 12, 3) + 60_000 * i),
    longitude: column((i) => -30 + 0.15 * i),
    latitude: column(() => 48),
    altitudeM: column(() => 10_668),
    levelHpa: column(() => 238.42),
    airPressurePa: column(() => 23_842),
  };
  /** Temperature, winds, humidity, pressure velocity and cirrus, a little different at each level and meridian. */
  const values = [218, 30, 5, 9e-5, 0.01, 0.05];
  const weather: Physics.Weather = {
    radiationPair: 'upward',
    sample(out, { longitude, level }, n) {
      out.forEach((into, k) => {
        for (let i = 0; i < n; i++) {
          const place = ((longitude[i] as number) + (level[i] as number) - 208) * 1e-3;
          const isMissing = k === 4 && (longitude[i] as number) > unknownEastOf;
          into[i] = isMissing ? Number.NaN : (values[k] as number) * (1 + place * (k === 0 ? 0.01 : 1));
        }
      });
    },
    sampleRadiation(shortwave, longwave, _, n) {
      shortwave.fill(200, 0, n);
      longwave.fill(240, 0, n);
    },
    locate: (places) => ({
      sample: (out, level, n) => weather.sample(out, { ...places, level }, n),
      sampleRadiation: (shortwave, longwave, n) =>
        weather.sampleRadiation(shortwave, longwave, { ...places, level: track.levelHpa }, n),
    }),
  };
  const scale: Physics.ScaleHumidity = (humidity, rhi, temperatureK, pressurePa, _, n) => {
    for (let i = 0; i < n; i++) {
      const [q, kelvin, pascal] = [humidity[i], temperatureK[i], pressurePa[i]] as [number, number, number];
      rhi[i] = physics.relativeHumidityIce(q, kelvin, pascal);
    }
  };
  const none = () => 0;
  const air = {
    temperature: column(none),
    u: column(none),
    v: column(none),
    humidity: column(none),
    rhi: column(none),
  };
  weather.sample([air.temperature, air.u, air.v, air.humidity], physics.weatherPoints(track), count);
  scale(air.humidity, air.rhi, air.temperature, track.airPressurePa, track.latitude, count);
  const params = physics.DEFAULT_COCIP_PARAMS;
  const attributes = { aircraftType: 'A320' };
  const flight = physics.evaluateFlightInAir(track, air, attributes, params);
  const { energyForcing, age, adrift } = physics.followContrails(
    physics.contrailSources(flight, 0, attributes, params),
    [0],
    { formation: weather, evolution: () => weather },
    scale,
    params,
  );
  return { energy: Array.from(energyForcing), ageS: Array.from(age), adrift: Array.from(adrift) };
}
