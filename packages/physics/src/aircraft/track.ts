/** Positions in order of time; altitude NaN where unknown, but not at the ends. */
export interface Track {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeM: Float64Array;
  /** Anything else known at the waypoints. */
  readonly columns?: Readonly<Record<string, Float64Array>> | undefined;
}
