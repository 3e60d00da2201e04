/** What is reported of each row; NaN where a stage was not reached. */
export interface FormationReport {
  readonly width: Float64Array;
  readonly depth: Float64Array;
  readonly maxDescent: Float64Array;
  /** Clipped gradient of potential temperature [K m⁻¹] and total shear, not enhanced [s⁻¹]. */
  readonly thetaGradient: Float64Array;
  readonly shear: Float64Array;
  readonly altitude1: Float64Array;
  readonly temperature1: Float64Array;
  readonly humidity1: Float64Array;
  readonly rhi1: Float64Array;
  /** 1, 0, or NaN outside the criterion. */
  readonly persistent1: Float64Array;
  readonly density1: Float64Array;
  readonly iceWaterContent1: Float64Array;
  readonly survival: Float64Array;
  readonly particles0: Float64Array;
  readonly particles1: Float64Array;
}

const REPORT_COLUMNS = [
  'width',
  'depth',
  'maxDescent',
  'thetaGradient',
  'shear',
  'altitude1',
  'temperature1',
  'humidity1',
  'rhi1',
  'persistent1',
  'density1',
  'iceWaterContent1',
  'survival',
  'particles0',
  'particles1',
] as const satisfies readonly (keyof FormationReport)[];

/** A report of which no stage has been reached yet. */
export function makeReport(count: number): FormationReport {
  // One block: many small ones cost a short flight time.
  const block = new Float64Array(REPORT_COLUMNS.length * count).fill(Number.NaN);
  return Object.fromEntries(
    REPORT_COLUMNS.map((name, k) => [name, block.subarray(k * count, (k + 1) * count)]),
  ) as unknown as FormationReport;
}
