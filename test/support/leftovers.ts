import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes that a run of the tests has started, by the temporary folder in their environment. Empty where there is no
 * `/proc`.
 */
export function processesUnder(temporaryRoot: string): { readonly pid: number; readonly command: string }[] {
  return processIds().flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!environment.some((entry) => entry.startsWith(`TMPDIR=${temporaryRoot}`))) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command === '' ? [] : [{ pid, command }];
    } catch {
      // It has ended since, or belongs to another user.
      return [];
    }
  });
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
