/**
 * What wider regions caught and affected in the public benchmark: ContrailBench v1, the forecast of contrails.org, all of 2024,
 * humidity measured by aircraft (IAGOS), in whole per cent by cells of the buffer (https://bench.contrails.org).
 */
export interface SkillPoint {
  readonly buffer: number;
  /** Share of the flown distance inside the regions [%]. */
  readonly affected: number;
  /** Share of the observed contrails inside the regions [%]. */
  readonly hitRate: number;
}

const AFFECTED = [7, 10, 12, 13, 15, 17, 18, 20, 21, 22, 24];
const HIT_RATES = [57, 70, 78, 83, 86, 89, 90, 92, 93, 94, 94];

export const BENCHMARK: readonly SkillPoint[] = AFFECTED.map((affected, buffer) => ({
  ...{ buffer, affected, hitRate: HIT_RATES[buffer] ?? 0 },
}));

/** What a buffer costs and catches, in a sentence. */
export function bufferSentence(buffer: number): string {
  const [first, at] = [BENCHMARK[0], BENCHMARK[buffer]];
  if (first === undefined || at === undefined) return '';
  if (buffer === 0)
    return `No buffer: hit rate ${first.hitRate} %, flying affected ${first.affected} % in the public benchmark (2024, another forecast).`;
  const cells = buffer === 1 ? '1 cell' : `${buffer} cells`;
  return `${cells}: hit rate ${first.hitRate} → ${at.hitRate} %, flying affected ${first.affected} → ${at.affected} % in the public benchmark (2024, another forecast).`;
}
