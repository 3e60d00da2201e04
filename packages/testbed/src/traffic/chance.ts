/** A repeatable number in [0, 1) for a seed, a subject and numbers: independent of what was drawn before. */
export function chance(seed: number, subject: string, ...numbers: readonly number[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < subject.length; i++) hash = Math.imul(hash ^ subject.charCodeAt(i), 0x01000193);
  for (const number of numbers) {
    hash = mix(hash ^ (number | 0));
    hash = mix(hash ^ Math.floor(number / 2 ** 32));
  }
  return (mix(hash) >>> 0) / 2 ** 32;
}

/** Every bit of the result depends on every bit of the argument. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
