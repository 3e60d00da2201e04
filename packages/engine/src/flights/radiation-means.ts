/** Radiation and forcing along the contrails of one flight, as means over their life by waypoint. */
import { globalYearlyMeanForcing, type PlumeColumn, type PlumeTable } from '@contrails/physics/cocip';
import type { OutputColumns } from './prepare-flight.ts';

const MEANS = {
  rf_lw_mean: 'rfLw',
  rf_sw_mean: 'rfSw',
  rf_net_mean: 'rfNet',
  sdr_mean: 'sdr',
  rsr_mean: 'rsr',
  olr_mean: 'olr',
} as const satisfies Record<string, PlumeColumn>;

const ENTRIES = Object.entries(MEANS) as [keyof typeof MEANS, PlumeColumn][];

export const RADIATION_PLUME_COLUMNS: readonly PlumeColumn[] = ENTRIES.map(([, plume]) => plume);

/** Plain means over the steps that a point is alive, not weighted by their length; what is unknown does not count. */
export class RadiationMeans {
  readonly #sums: readonly Float64Array[];
  readonly #counts: readonly Uint32Array[];
  readonly #isSeen: Uint8Array;

  constructor(waypoints: number) {
    this.#sums = ENTRIES.map(() => new Float64Array(waypoints));
    this.#counts = ENTRIES.map(() => new Uint32Array(waypoints));
    this.#isSeen = new Uint8Array(waypoints);
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number): void {
    for (let i = from; i < to; i++) this.#isSeen[plumes.waypoint[i] as number] = 1;
    for (const [k, [, plume]] of ENTRIES.entries()) {
      const [sums, counts] = [this.#sums[k] as Float64Array, this.#counts[k] as Uint32Array];
      const values = plumes[plume];
      for (let i = from; i < to; i++) {
        const value = values[i] as number;
        if (Number.isNaN(value)) continue;
        const waypoint = plumes.waypoint[i] as number;
        sums[waypoint] = (sums[waypoint] as number) + value;
        counts[waypoint] = (counts[waypoint] as number) + 1;
      }
    }
  }

  /** Unknown where no contrail lived through a step. */
  report(out: OutputColumns, energyForcing: Float64Array, atr20Factor: number): void {
    for (const [k, [name]] of ENTRIES.entries()) {
      const [sums, counts] = [this.#sums[k] as Float64Array, this.#counts[k] as Uint32Array];
      out[name]?.set(sums.map((sum, i) => sum / (counts[i] as number)));
    }
    for (const [i, joule] of energyForcing.entries()) {
      const forcing = this.#isSeen[i] === 1 ? globalYearlyMeanForcing(joule) : Number.NaN;
      if (out.global_yearly_mean_rf !== undefined) out.global_yearly_mean_rf[i] = forcing;
      if (out.atr20 !== undefined) out.atr20[i] = atr20Factor * forcing;
    }
  }
}
