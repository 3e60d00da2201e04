import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { reportError, reportUsage } from './report.ts';

/** Runs one command line. Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted (Ctrl-C). */
export async function main(args: readonly string[]): Promise<void> {
  const verbose = args.includes('--verbose');
  surviveClosedPipes();
  endWhenInterrupted();
  process.on('uncaughtException', (error) => {
    process.exit(reportError(error, verbose));
  });
  const program = await createProgram(args);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError ? reportUsage(error, program, args) : reportError(error, verbose);
  }
}

/** Servers and workers finish what is under way; other commands end at once, with the exit code that shells expect. */
function endWhenInterrupted(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}

/**
 * `contrails jobs list | head` closes the pipe first; further output is then discarded. Other errors of results end the
 * command. Messages and log lines that cannot be written, for example to a full disk, end nothing.
 */
function surviveClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stderr.on('error', () => undefined);
}
