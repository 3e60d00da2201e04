/** A kind of stored products: what the upkeep may remove, and what becomes of one whose file is missing or damaged. */
export interface ProductKind {
  /** Its family in the catalogue, which is also the first part of its keys in the store: no other kind may have it. */
  readonly family: string;
  /**
   * Planned products go when a newer run or edition replaces them, and lost ones are set aside until they are back. Requested
   * ones go some days after they were computed, and lost ones are forgotten: the next request computes them.
   */
  readonly origin: 'planned' | 'requested';
}

/** Family of planned products whose file is missing or damaged: nothing finds them until they are computed again. */
export function lostGroup(family: string): string {
  return `${family}.lost`;
}
