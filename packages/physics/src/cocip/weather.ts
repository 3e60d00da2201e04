/** What the contrail model asks of the weather. Packages above give it real fields; it knows nothing of files. */

export interface WeatherPositions {
  /** [°] */
  readonly longitude: Float64Array;
  /** [°] */
  readonly latitude: Float64Array;
  /** [ms since 1970] */
  readonly timeMs: Float64Array;
}

export interface WeatherPoints extends WeatherPositions {
  /** [hPa] */
  readonly level: Float64Array;
}

/** How the two radiation columns become reflected shortwave and outgoing longwave. */
export type RadiationPair =
  /** Net downward shortwave and (negative) net longwave at the top of the atmosphere. */
  | 'net'
  /** Net downward shortwave, outgoing longwave. */
  | 'net-and-outgoing'
  /** Upward shortwave, upward longwave: taken as they are. */
  | 'upward'
  /** Planetary albedo, outgoing longwave. */
  | 'albedo';

export interface Weather {
  /**
   * Interpolates the first `out.length` of: air temperature [K], eastward wind, northward wind [m s⁻¹], specific humidity
   * [kg kg⁻¹, unscaled], pressure velocity [Pa s⁻¹], optical depth of cirrus above. NaN outside the data.
   */
  sample(out: readonly Float64Array[], points: WeatherPoints, count: number): void;
  /** Interpolates shortwave (or albedo) and longwave radiation [W m⁻²]; ignores levels. */
  sampleRadiation(
    shortwave: Float64Array,
    longwave: Float64Array,
    points: WeatherPoints,
    count: number,
  ): void;
  /**
   * The weather at fixed positions and times while levels change: they are located in the data once, and what is found at one
   * level serves the next. Values equal those of {@link sample} and {@link sampleRadiation} bit for bit. Positions may change
   * afterwards; locating others invalidates earlier results.
   */
  locate(positions: WeatherPositions, count: number): LocatedWeather;
  readonly radiationPair: RadiationPair;
  /** After this time albedos are estimated [ms since 1970]; undefined where none is. */
  readonly estimatedAfterMs?: number;
}

/** Weather at the positions last given to {@link Weather.locate}. */
export interface LocatedWeather {
  /** As {@link Weather.sample}, at levels [hPa] of the first `count` positions. */
  sample(out: readonly Float64Array[], level: Float64Array, count: number): void;
  /** As {@link Weather.sampleRadiation}. */
  sampleRadiation(shortwave: Float64Array, longwave: Float64Array, count: number): void;
}

/** Replaces specific humidity in place by its scaled value and writes the relative humidity over ice. */
export type ScaleHumidity = (
  humidity: Float64Array,
  rhi: Float64Array,
  temperatureK: Float64Array,
  pressurePa: Float64Array,
  latitude: Float64Array,
  count: number,
) => void;

/**
 * The same weather with nothing above and below a range of levels [hPa]. Contrails that leave it end there, as they do in
 * the field's reference, which cuts the weather to a margin around the cells.
 */
export function withinLevels(weather: Weather, [top, bottom]: readonly [number, number]): Weather {
  const blank = (out: readonly Float64Array[], levels: Float64Array, count: number) => {
    for (let p = 0; p < count; p++) {
      const level = levels[p] as number;
      if (level >= top && level <= bottom) continue;
      for (const column of out) column[p] = Number.NaN;
    }
  };
  return {
    ...weather,
    sample(out, points, count) {
      weather.sample(out, points, count);
      blank(out, points.level, count);
    },
    locate(positions, located) {
      const inside = weather.locate(positions, located);
      return {
        sample(out, level, count) {
          inside.sample(out, level, count);
          blank(out, level, count);
        },
        sampleRadiation: (shortwave, longwave, count) => inside.sampleRadiation(shortwave, longwave, count),
      };
    },
  };
}
