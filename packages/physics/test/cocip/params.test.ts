import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEFAULT_COCIP_PARAMS } from '../../src/cocip/params.ts';

test('every parameter of the contrail model is read somewhere in it', () => {
  const source = fileURLToPath(new URL('../../src/cocip/', import.meta.url));
  const text = globSync('**/*.ts', { cwd: source })
    .filter((file) => file !== 'params.ts')
    .map((file) => readFileSync(`${source}${file}`, 'utf8'))
    .join('\n');
  const unread = Object.keys(DEFAULT_COCIP_PARAMS).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  expect(unread).toEqual([]);
});
