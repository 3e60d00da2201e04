import { hash, randomInt, timingSafeEqual } from 'node:crypto';

/** The parts of a key `ctr_<id>_<secret>`. The id is public, the secret is shown once and never stored. */
export interface ParsedKey {
  readonly id: string;
  readonly secret: string;
}

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const ID_LENGTH = 8;
/** 32 characters out of 62 are 190 bits. */
const SECRET_LENGTH = 32;
const KEY = /^ctr_[0-9a-z]{8}_[0-9A-Za-z]{32}$/;
const ID_START = 'ctr_'.length;
const SECRET_START = ID_START + ID_LENGTH + '_'.length;
const KEY_LENGTH = SECRET_START + SECRET_LENGTH;
const ID = /^[0-9a-z]{8}$/;

export function generateKey(): ParsedKey {
  return { id: draw(ID_ALPHABET, ID_LENGTH), secret: draw(SECRET_ALPHABET, SECRET_LENGTH) };
}

export function formatKey({ id, secret }: ParsedKey): string {
  return `ctr_${id}_${secret}`;
}

/** Undefined when the text is not a key; texts of any length are rejected in constant time. */
export function parseKey(text: string): ParsedKey | undefined {
  if (text.length !== KEY_LENGTH || !KEY.test(text)) return undefined;
  return { id: text.slice(ID_START, ID_START + ID_LENGTH), secret: text.slice(SECRET_START) };
}

/** The id in what a person gives to name a key: the id itself, or the whole key. */
export function parseKeyId(text: string): string | undefined {
  return text.length === ID_LENGTH && ID.test(text) ? text : parseKey(text)?.id;
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Takes the same time wherever the two differ. */
export function secretMatches(secret: string, sha256: Uint8Array): boolean {
  const given = hashSecret(secret);
  return given.length === sha256.length && timingSafeEqual(given, sha256);
}

function draw(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
