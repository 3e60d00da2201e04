/** Doubts about reports, which do not make them unusable: the weather does not change within the errors that they stand for. */

/** Bits of a quality mark. */
export const QUALITY_MARKS = {
  /** Containment radius of 1,852 m or more: nic 1 to 4. */
  nic_low: 1,
  /** nacp 1 to 4. */
  nacp_low: 2,
  /** nic or nacp 0. */
  unknown_quality: 4,
  /** nacp fell from 8 or more to 4 or less within 5 min: interference with satellite navigation. */
  gnss_drop: 8,
  /** The difference of the two altitudes changed by more than 2,000 ft within 60 s. */
  alt_gap: 16,
} as const;

/** Rows of one aircraft, in the order of time. NaN is unknown. */
export interface QualityRows {
  readonly timestamp: ArrayLike<number>;
  readonly altitude_baro: ArrayLike<number>;
  readonly altitude_gnss: ArrayLike<number>;
  readonly nic: ArrayLike<number>;
  readonly nacp: ArrayLike<number>;
}

const DROP_MS = 300_000;
const GOOD_NACP = 8;
const LOW_CATEGORY = 4;
const GAP_MS = 60_000;
const GAP_FT = 2_000;

export function qualityOf(rows: QualityRows): Uint8Array {
  const { timestamp, altitude_baro, altitude_gnss, nic, nacp } = rows;
  const marks = new Uint8Array(timestamp.length);
  let lastGoodMs = Number.NEGATIVE_INFINITY;
  const gaps = new SlidingRange(GAP_MS);
  for (let i = 0; i < marks.length; i++) {
    const timeMs = timestamp[i] as number;
    const [integrity, accuracy] = [nic[i] as number, nacp[i] as number];
    let mark = 0;
    if (integrity >= 1 && integrity <= LOW_CATEGORY) mark |= QUALITY_MARKS.nic_low;
    if (accuracy >= 1 && accuracy <= LOW_CATEGORY) mark |= QUALITY_MARKS.nacp_low;
    if (integrity === 0 || accuracy === 0) mark |= QUALITY_MARKS.unknown_quality;
    if (accuracy >= GOOD_NACP) lastGoodMs = timeMs;
    if (accuracy <= LOW_CATEGORY && timeMs - lastGoodMs <= DROP_MS) mark |= QUALITY_MARKS.gnss_drop;
    const gap = Math.abs((altitude_gnss[i] as number) - (altitude_baro[i] as number));
    if (!Number.isNaN(gap)) {
      const [min, max] = gaps.add(timeMs, gap);
      if (gap - min > GAP_FT || max - gap > GAP_FT) mark |= QUALITY_MARKS.alt_gap;
    }
    marks[i] = mark;
  }
  return marks;
}

/** The least and the greatest of the values that are not older than `spanMs`. */
class SlidingRange {
  private readonly spanMs: number;
  private readonly falling = new Front();
  private readonly rising = new Front();

  constructor(spanMs: number) {
    this.spanMs = spanMs;
  }

  add(timeMs: number, value: number): readonly [min: number, max: number] {
    return [this.rising.add(timeMs, value, this.spanMs), -this.falling.add(timeMs, -value, this.spanMs)];
  }
}

/** Values that may yet be the least: each is smaller than all that came after it. */
class Front {
  private readonly times: number[] = [];
  private readonly values: number[] = [];
  private first = 0;

  add(timeMs: number, value: number, spanMs: number): number {
    while (this.values.length > this.first && (this.values.at(-1) as number) >= value) {
      this.values.pop();
      this.times.pop();
    }
    this.times.push(timeMs);
    this.values.push(value);
    while (timeMs - (this.times[this.first] as number) > spanMs) this.first++;
    return this.values[this.first] as number;
  }
}
