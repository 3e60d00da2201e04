import { destination } from 'pino';

const GATHER_MS = 50;
const GATHER_LENGTH = 65_536;

/**
 * Writes log lines to a file descriptor, several at once and off the main thread: a write of its own for each line
 * would cost more than the request it tells of. What is gathered when the process ends is written then.
 */
export function gatheredLines(fd: number): { write(line: string): void } {
  const file = destination({ fd, sync: false });
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const handOver = () => {
    clearTimeout(timer);
    timer = undefined;
    file.write(gathered);
    gathered = '';
  };
  process.on('exit', () => {
    handOver();
    file.flushSync();
  });
  return {
    write(line) {
      gathered += line;
      if (gathered.length >= GATHER_LENGTH) handOver();
      else timer ??= setTimeout(handOver, GATHER_MS).unref();
    },
  };
}
