/** What a computation wants of the weather. */
export interface WeatherRequest {
  /** Name of a source; without it the first that covers the request. */
  readonly source?: string;
  /** Member of an ensemble; the first unless given. */
  readonly member?: number;
  /** Members of the same ensemble whose humidity is wanted too. */
  readonly humidityOfMembers?: readonly number[];
  /** Start of the forecast to use [ms since 1970]; unless given, the reanalysis, else the newest forecast. */
  readonly referenceTime?: number;
  /**
   * `formation`: temperature and humidity, for criteria of formation on grids. `air`: also wind, for flights.
   * `drift`: wind, vertical motion and temperature, for where exhaust drifts. `contrails`: also cirrus and radiation, for
   * the life of contrails. `accf`: wind and, where they are stored, radiation, geopotential and vorticity, for climate change
   * functions. `climate`: what `contrails` and `accf` need.
   */
  readonly for: 'formation' | 'air' | 'accf' | 'drift' | 'contrails' | 'climate';
  /** Whether a source that covers only a part of what follows will do. */
  readonly partial?: boolean;
  /** What has to be covered [ms since 1970]. */
  readonly time: readonly [first: number, last: number];
  /** What has to be covered [hPa]. */
  readonly level: readonly [top: number, bottom: number];
  /** What has to be covered [°]. */
  readonly latitude: readonly [south: number, north: number];
  /** What has to be covered [°]; west > east crosses the antimeridian. */
  readonly longitude: readonly [west: number, east: number];
  /** What is useful beyond that, and is taken as far as there are data. */
  readonly margin?: {
    /** Contrails outlive the flight [ms]. */
    readonly afterMs?: number;
    /** They rise, sink and fall [hPa]. */
    readonly levelHpa?: number;
    /** They drift [°]. */
    readonly degrees?: number;
  };
}

/** The time for which weather is useful. */
export function usefulTime({ time, margin }: WeatherRequest): readonly [number, number] {
  return [time[0], time[1] + (margin?.afterMs ?? 0)];
}
