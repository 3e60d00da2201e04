/** A stretch of a file [bytes]. */
export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** One request, and the wanted ranges in what it brings. */
export interface RangeRequest<R extends Range> {
  readonly first: number;
  readonly last: number;
  readonly holds: readonly R[];
}

const MAX_GAP = 64 * 1024;
const MAX_GAP_SHARE = 0.1;
const MAX_REQUEST_BYTES = 16 * 2 ** 20;

/**
 * Few requests for many ranges, in file order: neighbours are fetched together where the gap between them is small compared to
 * what is wanted on both sides.
 */
export function mergeRanges<R extends Range>(ranges: readonly R[]): RangeRequest<R>[] {
  const groups: { first: number; end: number; wanted: number; holds: R[] }[] = [];
  const sorted = [...ranges].sort((one, other) => one.offset - other.offset);
  for (const range of sorted) {
    const group = groups.at(-1);
    const end = range.offset + range.length;
    const gap = group === undefined ? Number.POSITIVE_INFINITY : range.offset - group.end;
    const wanted = (group?.wanted ?? 0) + range.length;
    const isNear = gap <= MAX_GAP && gap <= MAX_GAP_SHARE * wanted;
    if (group === undefined || !isNear || end - group.first > MAX_REQUEST_BYTES) {
      groups.push({ first: range.offset, end, wanted: range.length, holds: [range] });
    } else {
      group.end = end;
      group.wanted = wanted;
      group.holds.push(range);
    }
  }
  return groups.map(({ first, end, holds }) => ({ first, last: end - 1, holds }));
}
