import { type OptionEntry, TRAJECTORY_OPTIONS } from '@contrails/service/trajectory-options';
import { type Command, Option } from 'commander';

/** The options of every command that computes from weather. */
export function weatherOptions(command: Command): Command {
  for (const [name, entry] of Object.entries<OptionEntry>(TRAJECTORY_OPTIONS)) {
    if (entry.isWeather) command.addOption(optionOf(name, entry));
  }
  return command.option('--demo', 'synthetic weather where no source is configured');
}

/** `max_age_hours` as `--max-age-hours <hours>`. */
export function optionOf(name: string, { placeholder, help, choices, default: value }: OptionEntry): Option {
  const shownDefault = value === undefined ? '' : ` (default: ${value})`;
  const option = new Option(`--${name.replaceAll('_', '-')} <${placeholder}>`, `${help}${shownDefault}`);
  return choices === undefined ? option : option.choices(choices);
}
