import fc from 'fast-check';

const FIRST = 'ABZabz019_';
const LATER = `${FIRST}.=-`;

/** Keys of all lengths; the last segment differs from every directory, so any set of them can be stored. */
export function objectKeys(): fc.Arbitrary<string> {
  const segment = fc
    .tuple(fc.constantFrom(...FIRST), fc.string({ unit: fc.constantFrom(...LATER), maxLength: 4 }))
    .map(([first, rest]) => (first + rest).replace(/\.+$/, ''));
  const file = segment.map((name) => `${name}.nc`);
  const directory = segment.map((name) => `${name}-`);
  return fc
    .tuple(fc.array(directory, { maxLength: 4 }), file)
    .map(([directories, name]) => [...directories, name].join('/'));
}

/** What must never become a path or a URL. */
export const HOSTILE_KEYS = [
  '',
  '/',
  '.',
  '..',
  '../secret',
  '../../etc/passwd',
  'a/../b',
  'a/../../b',
  'a/./b',
  'a//b',
  'a/',
  '/etc/passwd',
  '//host/share',
  '.store/index.sqlite',
  'a/.hidden',
  '.hidden/a',
  'a./b',
  'a.',
  '-rf',
  'a/-o',
  '~root/a',
  'a\\b',
  '..\\..\\windows',
  'C:\\windows',
  'C:/windows',
  'file:///etc/passwd',
  's3://bucket/key',
  'a\0b',
  'a\nb',
  'a\r\nx-amz-acl: public-read',
  'a\u007fb',
  'a b',
  'a%2e%2e',
  '%2e%2e/secret',
  '%2e%2e%2fsecret',
  '..%2fsecret',
  '..%252fsecret',
  '%c0%ae%c0%ae/secret',
  'a?versionId=1',
  'a#b',
  'a*',
  'a$HOME',
  'a`id`',
  'a;b',
  'a&b',
  'a|b',
  'ä',
  'a\u0308',
  '\u202etxt.exe',
  '．．/secret',
  'a／b',
  '\ud800',
  'x'.repeat(201),
  `${'x/'.repeat(300)}x`,
  `${'a/'.repeat(100_000)}b`,
] as const;
