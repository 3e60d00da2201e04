import type { Queryable } from '../../database/database.ts';

/** A condition on a list of texts that is given as one value, a JSON array. */
export function inList({ dialect }: Queryable, parameter: string): string {
  return dialect === 'sqlite'
    ? `IN (SELECT value FROM json_each(${parameter}))`
    : `IN (SELECT jsonb_array_elements_text(${parameter}::jsonb))`;
}
