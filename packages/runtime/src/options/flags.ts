import { UsageError } from '../errors.ts';
import type { Parameter, RawValue } from './parameter.ts';
import type { Values } from './query.ts';

/** How messages call an option. */
export type OptionName = (name: string) => string;

/**
 * The values of options that a command line or a program gives; all errors in one `UsageError`. The keys of `given` are the names
 * of the parameters.
 */
export function readFlags<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  given: Readonly<Record<string, RawValue | undefined>>,
  nameOf: OptionName = flagOf,
): Values<P> {
  const errors: string[] = [];
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const raw = given[name];
    if (raw === undefined) {
      if (parameter.absent === undefined) errors.push(`${nameOf(name)} is missing; it has to be given`);
      return [name, parameter.absent?.value];
    }
    const read = parameter.read(nameOf(name), raw);
    if ('value' in read) return [name, read.value];
    errors.push(...read.errors.map(({ msg }) => msg));
    return [name, undefined];
  });
  if (errors.length > 0) throw new UsageError(errors.join('; '));
  return Object.fromEntries(values) as Values<P>;
}

/** How an option is written on a command line: `flight_level` is `--flight-level`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}
