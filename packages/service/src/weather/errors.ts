import { MetError } from '@contrails/met';
import type { CoreConfig } from '../config/load.ts';
import {
  ContrailsError,
  type FieldError,
  NotFoundError,
  UnavailableError,
  UsageError,
  ValidationError,
} from '../errors.ts';

/**
 * An error of the weather as the service reports it: a request for what is not there is an error in the parameter at `loc`,
 * what cannot be read is worth another try. Other errors stay what they are.
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
    case 'unavailable':
    case 'changed':
      return new UnavailableError(error.message, { cause: error, facts: { ...error.facts } });
  }
}

/** The error of every command that needs weather and has none configured. */
export function requireWeather({ met }: Pick<CoreConfig, 'met'>): void {
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
