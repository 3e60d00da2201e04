import { basename, isAbsolute } from 'node:path';
import { type CatalogueEntry, MetError } from '@contrails/met';
import {
  ContrailsError,
  type FieldError,
  NotFoundError,
  UnavailableError,
  UsageError,
  ValidationError,
} from '@contrails/runtime/errors';
import { UnusableWeather } from '../errors.ts';

/**
 * An error of the weather as the service reports it: a request for what is not there is an error in the parameter at `loc`,
 * storage that does not respond is worth another try, and files that cannot be used are not. Other errors stay what they are.
 */
export function asRequestError(error: unknown, loc: FieldError['loc']): unknown {
  if (!(error instanceof MetError)) return error;
  switch (error.kind) {
    case 'unknown-source':
      return new ValidationError([{ loc: ['query', 'met_source'], msg: error.message, type: 'value_error' }]);
    case 'outside':
    case 'too-large':
    case 'missing-variable':
    case 'missing-time':
      return new ValidationError([{ loc, msg: error.message, type: 'value_error' }]);
    case 'unreadable':
      return new UnusableWeather(withoutDirectories(error), {
        cause: error,
        facts: { ...error.facts },
      });
    case 'unavailable':
    case 'changed':
      return new UnavailableError(error.message, { cause: error, facts: { ...error.facts } });
  }
}

/** Clients learn the file's name, not its directory. */
function withoutDirectories({ message, facts }: MetError): string {
  const known = [facts.path, facts.paths].flat().filter((path) => typeof path === 'string');
  const named = known
    .filter(isAbsolute)
    .reduce((text, path) => text.replaceAll(path, basename(path)), message);
  return named.replace(/(?<=^|[\s("'])\/(?:[^\s/]+\/)+(?=[^\s/])/g, '');
}

/** A source that cannot be used. */
export interface SourceFailure {
  readonly source: string;
  readonly error: unknown;
  /** For clients. */
  readonly message: string;
}

export function failuresOf(entries: readonly CatalogueEntry[]): SourceFailure[] {
  return entries.flatMap((entry) => {
    if ('description' in entry) return [];
    const { error, source } = entry;
    const why = isUnreadable(error) ? withoutDirectories(error) : `${source.name}: it does not respond`;
    return { source: source.name, error, message: `weather source ${why}` };
  });
}

/** The error of a service none of whose sources can be used. */
export function nothingUsable(failed: readonly SourceFailure[]): ContrailsError {
  const cause = failed[0]?.error;
  return failed.every(({ error }) => isUnreadable(error))
    ? new UnusableWeather(failed.map(({ message }) => message).join('; '), { cause })
    : new UnavailableError('no weather source can be read; "contrails doctor" reports why', { cause });
}

function isUnreadable(error: unknown): error is MetError {
  return error instanceof MetError && error.kind === 'unreadable';
}

/** The error of every command that needs weather and has none configured. */
export function requireWeather({ met }: { readonly met: { readonly sources: readonly unknown[] } }): void {
  if (met.sources.length === 0)
    throw new UsageError('no weather source is configured; add one under met.sources, or use --demo');
}

/** The same for commands, whose user also operates the service. */
export function asCommandError(error: unknown): unknown {
  if (!(error instanceof MetError)) return error;
  const options = { cause: error, facts: { ...error.facts } };
  if (error.kind === 'unknown-source') return new NotFoundError(error.message, options);
  if (error.kind === 'changed') return new UnavailableError(error.message, options);
  // Clients can only ask for less; the operator can also allow more.
  const remedy = error.kind === 'too-large' ? ', or raise met.memory_mib' : '';
  return new ContrailsError(`${error.message}${remedy}`, options);
}
