import { destination } from 'pino';

const GATHER_MS = 50;
const GATHER_LENGTH = 65_536;
/** Kept while nothing can be written; further lines are lost. */
const MAX_UNWRITTEN_LENGTH = 2 ** 20;

/**
 * Writes log lines to a file descriptor, several at once: a write for each line would cost more than the
 * request it reports. Writes are synchronous, because one that is under way when the process ends would be lost.
 */
export function gatheredLines(fd: number): { write(line: string): void } {
  const file = destination({ fd, sync: true, maxLength: MAX_UNWRITTEN_LENGTH });
  // A full disk must not end the process. What could not be written goes out with the next lines.
  file.on('error', () => undefined);
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const handOver = () => {
    clearTimeout(timer);
    timer = undefined;
    file.write(gathered);
    gathered = '';
  };
  process.on('exit', handOver);
  return {
    write(line) {
      gathered += line;
      if (gathered.length >= GATHER_LENGTH) handOver();
      else timer ??= setTimeout(handOver, GATHER_MS).unref();
    },
  };
}
