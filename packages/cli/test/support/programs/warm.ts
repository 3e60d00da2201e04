/**
 * Runs one command line after the other, as the start file does with its one: loading the program takes longer than most
 * commands. What a command leaves behind on the process is taken away after it, and done if it was for its end.
 */
import { main } from '../../../src/main.ts';

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written behind the output of the command. */
  readonly mark: string;
}

const home = process.cwd();

process.on('message', async (line: CommandLine) => {
  const listeners = watchListeners();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, line.env);
  process.chdir(line.cwd ?? home);
  process.exitCode = undefined;
  await main(line.args);
  const code = process.exitCode ?? 0;
  listeners.remove();
  process.exitCode = undefined;
  process.chdir(home);
  for (const stream of [process.stdout, process.stderr]) stream.write(line.mark);
  process.send?.(code);
});
process.once('disconnect', () => process.exit());

/** The listeners that a command adds to the process and its streams. Those for the end of the process are called. */
function watchListeners(): { remove(): void } {
  const emitters = [process, process.stdout, process.stderr];
  const before = emitters.map(
    (emitter) => new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)])),
  );
  return {
    remove() {
      for (const [k, emitter] of emitters.entries()) {
        for (const name of emitter.eventNames()) {
          for (const listener of emitter.rawListeners(name)) {
            if (before[k]?.get(name)?.includes(listener)) continue;
            if (name === 'exit') listener.call(process, process.exitCode);
            emitter.off(name, listener as (...args: unknown[]) => void);
          }
        }
      }
    },
  };
}
