/** What one check found; `remedy` is what to do unless it is `ok`. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy?: string;
}

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

export function shownBytes(bytes: number): string {
  return bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}
