/** What formats of tracks share. */
import { stemOf } from '../values.ts';

export const GEOMETRIC =
  'altitudes are heights above sea level and are read as pressure altitudes; they may differ by several hundred feet';

/** Names flights that have none by the file: numbered where there are several. */
export function unnamed(file: string, count: number): () => string {
  const stem = stemOf(file);
  let last = 0;
  return () => (count > 1 ? `${stem} ${++last}` : stem);
}
