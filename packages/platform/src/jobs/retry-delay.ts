export const MAX_RETRY_SECONDS = 3600;

/** Doubles from attempt to attempt; the chance in it keeps jobs that failed together from coming back together. */
export function retryDelaySeconds(backoffSeconds: number, attempt: number): number {
  return Math.min(MAX_RETRY_SECONDS, backoffSeconds * 2 ** Math.min(16, attempt - 1) * (1 + Math.random()));
}
