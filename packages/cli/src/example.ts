import type { Command } from 'commander';

/** Ends the help of a command with command lines to copy. */
export function example(command: Command, ...lines: readonly string[]): Command {
  const heading = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${heading}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}
