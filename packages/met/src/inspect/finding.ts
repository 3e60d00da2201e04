/** What an inspection found wrong with a source, and what to do about it. */
export interface SourceFinding {
  /** `fail`: some model cannot use the source; `warn`: its answers are worse, or end sooner. */
  readonly state: 'warn' | 'fail';
  readonly says: string;
  readonly remedy: string;
}
