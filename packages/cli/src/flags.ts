/** What the flags and the help of several commands have in common. */

import type { TrajectoryModel } from '@contrails/engine/flights/models';
import { parametersOfModel, rangeOf } from '@contrails/engine/flights/parameter-table';
import type { OptionEntry } from '@contrails/engine/options/entry';
import { WEATHER_OPTIONS } from '@contrails/engine/options/weather-options';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The options of every command that computes from weather. */
export function weatherOptions(command: Command, model?: TrajectoryModel): Command {
  for (const [name, { choicesOfCocip = [], ...entry }] of Object.entries<OptionEntry>(WEATHER_OPTIONS)) {
    const choices = model === 'cocip' ? entry.choices?.concat(choicesOfCocip) : entry.choices;
    command.addOption(optionOf(name, { ...entry, ...(choices === undefined ? {} : { choices }) }));
  }
  return command.option('--demo', 'synthetic weather where no source is configured');
}

/** Parameters of a model, which {@link parametersHelp} lists. */
export function parameterOption(): Option {
  return new Option(
    '--param <name=value>',
    'parameter of the model, listed below; may be repeated',
  ).argParser(collect);
}

/** Every parameter of a model with what it accepts. */
export function parametersHelp(model: TrajectoryModel): string {
  const own = parametersOfModel(model);
  const width = Math.max(...own.map(([name]) => name.length));
  const lines = own.map(([name, entry]) => `  ${name.padEnd(width)}  ${rangeOf(entry)}`);
  return `\nParameters (docs/research.md):\n${lines.join('\n')}`;
}

/** `max_age_hours` as `--max-age-hours <hours>`. */
export function optionOf(name: string, { placeholder, help, choices, default: value }: OptionEntry): Option {
  const shownDefault = value === undefined ? '' : ` (default: ${value})`;
  const option = new Option(`--${name.replaceAll('_', '-')} <${placeholder}>`, `${help}${shownDefault}`);
  return choices === undefined ? option : option.choices(choices);
}

/** Commander calls `--flight-level` flightLevel; the endpoint calls it flight_level. */
export function byParameter(
  options: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/** A parser for an option that may be repeated. */
export function collect(value: string, known: readonly string[] = []): string[] {
  return [...known, value];
}

/** A parser for an option that takes a whole number within limits. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give an integer from ${min} to ${max}.`);
  };
}

/** The instant that the text of a flag stands for [ms since 1970]. */
export async function timeFlag(flag: string, text: string): Promise<number> {
  const { explainTime, parseTimeMs } = await import('@contrails/runtime/options/time');
  const ms = parseTimeMs(text);
  if (Number.isFinite(ms)) return ms;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(explainTime(flag, text));
}

/** The begin of a day [ms since 1970]; `name` is that of a flag or an argument. */
export async function dayFlag(name: string, text: string): Promise<number> {
  const ms = Date.parse(`${text}T00:00:00Z`);
  // A day that a month does not have is read as one of the next month.
  if (Number.isFinite(ms) && new Date(ms).toISOString().slice(0, 10) === text) return ms;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`${name} ${text} is not a day; write it as 2026-02-25`);
}

/** Ends the help of a command with command lines to copy. */
export function example(command: Command, ...lines: readonly string[]): Command {
  const heading = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${heading}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}
