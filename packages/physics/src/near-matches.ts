/**
 * Names of a table that resemble one that is not in it, nearest first: at most `limit`, none more than half of
 * the name's letters away (restricted Damerau–Levenshtein distance; letter case does not count).
 */
export function nearMatches(name: string, known: Iterable<string>, limit = 5): string[] {
  const wanted = name.trim().toUpperCase();
  const tolerated = Math.max(1, Math.floor(wanted.length / 2));
  const candidates: { name: string; distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toUpperCase());
    if (distance <= tolerated) candidates.push({ name: candidate, distance });
  }
  candidates.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return candidates.slice(0, limit).map((candidate) => candidate.name);
}

/** ' Did you mean A or B?' for the end of a message, nothing when there are no near matches. */
export function didYouMean(matches: readonly string[]): string {
  return matches.length === 0 ? '' : ` Did you mean ${matches.join(' or ')}?`;
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
