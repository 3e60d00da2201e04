import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { reportError, reportUsage } from './report.ts';

/** Runs one command line. Exit code: 0 done, 1 failed, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<void> {
  const verbose = args.includes('--verbose');
  surviveClosedPipes();
  process.on('uncaughtException', (error) => {
    process.exit(reportError(error, verbose));
  });
  const program = createProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError ? reportUsage(error, program, args) : reportError(error, verbose);
  }
}

/** `contrails jobs list | head` ends the reader first; what is left to say is then said to nobody. */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
