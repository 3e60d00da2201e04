import { UsageError } from '../../errors.ts';
import type { Values } from '../query.ts';
import type { Parameter, RawValue } from './parameter.ts';

/**
 * The values of parameters that were given on a command line, where `flight_level` is `--flight-level`; all faults in one
 * `UsageError`. The keys of `given` are the names of the parameters.
 */
export function readFlags<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  given: Readonly<Record<string, RawValue | undefined>>,
): Values<P> {
  const faults: string[] = [];
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const raw = given[name];
    if (raw === undefined) {
      if (parameter.absent === undefined) faults.push(`${flagOf(name)} is missing; it has to be given`);
      return [name, parameter.absent?.value];
    }
    const read = parameter.read(flagOf(name), raw);
    if ('value' in read) return [name, read.value];
    faults.push(...read.faults.map(({ msg }) => msg));
    return [name, undefined];
  });
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  return Object.fromEntries(values) as Values<P>;
}

/** How a parameter is written on a command line. */
function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}
