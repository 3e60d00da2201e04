/** The contrail of one flight as rows of a table: one for each point and step of the model, with all that it knows of it. */
import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';
import { InputError } from '@contrails/physics/common';
import { nameOf, PLUME_FIELDS, type PlumeFieldName } from '@contrails/physics/fields';
import { MINUTE_MS } from '@contrails/runtime';

const PLUMES = Object.keys(PLUME_FIELDS) as PlumeFieldName[];
/** Which point of which time: index of its waypoint in the answer, end of the step and formation [ms since 1970], age [min]. */
const KEYS = 4;
const COLUMNS = KEYS + PLUMES.length;

export const CONTRAIL_ROW_PLUME_COLUMNS: readonly PlumeColumn[] = [...PLUMES, 'formationTimeMs'];

/** The gradient of stratification that the model uses is never smaller [K m⁻¹]. */
const MIN_GRADIENT = 1e-6;
/** Rows of one request; each takes 400 bytes. */
const MAX_CONTRAIL_ROWS = 1_000_000;

/** Rows one column after the other. */
export interface FinishedRows {
  readonly count: number;
  readonly values: Float64Array<ArrayBuffer>;
}

export class ContrailRows {
  readonly #indexOf: (waypoint: number) => number;
  /** How many rows all threads have collected. */
  readonly #total: Int32Array;
  readonly #steps: { readonly count: number; readonly values: Float64Array }[] = [];

  constructor(indexOf: (waypoint: number) => number, total: Int32Array) {
    this.#indexOf = indexOf;
    this.#total = total;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number, toMs: number): void {
    const count = to - from;
    if (Atomics.add(this.#total, 0, count) + count > MAX_CONTRAIL_ROWS) {
      throw new InputError(
        `the contrails have more than ${MAX_CONTRAIL_ROWS} rows; send fewer flights at once, or give a longer dt_integration_minutes or a shorter max_age_hours`,
        { field: 'flight_id' },
      );
    }
    const values = new Float64Array(COLUMNS * count);
    for (let i = 0; i < count; i++) {
      const formedMs = plumes.formationTimeMs[from + i] as number;
      values[i] = this.#indexOf(plumes.waypoint[from + i] as number);
      values[count + i] = toMs;
      values[2 * count + i] = formedMs;
      values[3 * count + i] = (toMs - formedMs) / MINUTE_MS;
    }
    PLUMES.forEach((plume, k) => {
      const column = values.subarray((KEYS + k) * count, (KEYS + k + 1) * count);
      column.set(plumes[plume].subarray(from, to));
      if (plume !== 'thetaGradient') return;
      for (let i = 0; i < count; i++) column[i] = Math.max(column[i] as number, MIN_GRADIENT);
    });
    this.#steps.push({ count, values });
  }

  finish(): FinishedRows {
    const total = this.#steps.reduce((sum, { count }) => sum + count, 0);
    const values = new Float64Array(COLUMNS * total);
    let start = 0;
    for (const step of this.#steps) {
      for (let k = 0; k < COLUMNS; k++)
        values.set(step.values.subarray(k * step.count, (k + 1) * step.count), k * total + start);
      start += step.count;
    }
    return { count: total, values };
  }
}

/** The columns of finished rows. */
export function columnsOfRows({ count, values }: FinishedRows) {
  const column = (k: number) => values.subarray(k * count, (k + 1) * count);
  return {
    waypoint: column(0),
    timeMs: column(1),
    formationTimeMs: column(2),
    age: column(3),
    quantities: PLUMES.map((plume, k) => ({
      name: nameOf(PLUME_FIELDS, plume),
      unit: PLUME_FIELDS[plume].unit,
      values: column(KEYS + k),
    })),
  };
}
