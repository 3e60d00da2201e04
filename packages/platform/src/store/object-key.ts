import { ValidationError } from '@contrails/runtime/errors';

/**
 * Keys are plain enough to be a path on any file system and a URL in any bucket without escaping: no segment
 * is hidden, looks like an option or means another directory, and nothing in it can be an encoding of
 * something else.
 */
const SEGMENT = /^[A-Za-z0-9_](?:[A-Za-z0-9._=-]*[A-Za-z0-9_=-])?$/;
const PARTIAL_SEGMENT = /^(?:[A-Za-z0-9_][A-Za-z0-9._=-]*)?$/;
const MAX_SEGMENT_LENGTH = 200;
const MAX_KEY_LENGTH = 512;
const SHOWN = 80;

const ALLOWED =
  `a key is 1 to ${MAX_KEY_LENGTH} characters: segments joined by "/", each of at most ${MAX_SEGMENT_LENGTH} letters ` +
  `A-Z a-z, digits, ".", "_", "=" and "-" that starts with a letter, digit or "_" and does not end with "."`;

export function isObjectKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && key.split('/').every(isSegment);
}

export function isSegment(segment: string): boolean {
  return segment.length <= MAX_SEGMENT_LENGTH && SEGMENT.test(segment);
}

/** Throws a `ValidationError` unless the key can be stored. */
export function checkObjectKey(key: string): void {
  if (!isObjectKey(key)) refuse('object_key', `${shown(key)} is not a key of the store: ${ALLOWED}`);
}

/** Throws a `ValidationError` unless some key could start with the prefix; the empty prefix starts every key. */
export function checkKeyPrefix(prefix: string): void {
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  const possible =
    prefix.length <= MAX_KEY_LENGTH &&
    segments.every(isSegment) &&
    last.length <= MAX_SEGMENT_LENGTH &&
    PARTIAL_SEGMENT.test(last);
  if (!possible) refuse('key_prefix', `no key of the store starts with ${shown(prefix)}: ${ALLOWED}`);
}

function refuse(type: string, msg: string): never {
  throw new ValidationError([{ loc: ['key'], msg, type }]);
}

function shown(key: string): string {
  return JSON.stringify(key.length > SHOWN ? `${key.slice(0, SHOWN)}…` : key);
}
