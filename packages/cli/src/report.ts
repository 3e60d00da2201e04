import { ContrailsError, UsageError } from '@contrails/runtime/errors';
import type { Command, CommanderError } from 'commander';

/** Reports on standard error, in one sentence, why a command failed; returns the exit code. */
export function reportError(error: unknown, verbose: boolean): number {
  process.stderr.write(`contrails: ${sentence(error)}\n`);
  if (verbose) process.stderr.write(`${stacks(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** The same for what commander found wrong with the command line; help and version are not errors. */
export function reportUsage(error: CommanderError, program: Command, args: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // The help that is printed for a missing sub-command is enough.
  if (error.code === 'commander.help') return 2;
  process.stderr.write(
    `contrails: ${oneSentence(error.message)} (see ${commandNamed(program, args)} --help)\n`,
  );
  return 2;
}

/** Commander writes `error: … is invalid. Allowed choices are ….` and `error: …\n(Did you mean …?)`. */
function oneSentence(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replace(/\. ([A-Z])/g, (_, letter: string) => `; ${letter.toLowerCase()}`)
    .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?');
}

function sentence(error: unknown): string {
  if (error instanceof ContrailsError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `unexpected error: ${message || 'no message'}; run the command again with --verbose and report what it prints`;
}

/** Only stacks and messages: the other properties of an error may hold addresses with passwords. */
function stacks(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${stacks(error.cause)}`;
}

function commandNamed(program: Command, args: readonly string[]): string {
  const names = [program.name()];
  let command = program;
  for (const word of args) {
    const found = command.commands.find((candidate) => candidate.name() === word);
    if (found === undefined) continue;
    names.push(found.name());
    command = found;
  }
  return names.join(' ');
}
