import { UsageError } from '../errors.ts';
import type { Parameter, RawValue } from './parameter.ts';
import type { Values } from './query.ts';

/**
 * The values of parameters that were given on a command line, where `flight_level` is `--flight-level`; all errors in one
 * `UsageError`. The keys of `given` are the names of the parameters.
 */
export function readFlags<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  given: Readonly<Record<string, RawValue | undefined>>,
): Values<P> {
  const errors: string[] = [];
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const raw = given[name];
    if (raw === undefined) {
      if (parameter.absent === undefined) errors.push(`${flagOf(name)} is missing; it has to be given`);
      return [name, parameter.absent?.value];
    }
    const read = parameter.read(flagOf(name), raw);
    if ('value' in read) return [name, read.value];
    errors.push(...read.errors.map(({ msg }) => msg));
    return [name, undefined];
  });
  if (errors.length > 0) throw new UsageError(errors.join('; '));
  return Object.fromEntries(values) as Values<P>;
}

/** How a parameter is written on a command line. */
function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}
