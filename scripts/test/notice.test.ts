import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
/** Licences that require no more than their text, which every package ships with. */
const COMMON = /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Unlicense|BlueOak-1\.0\.0)\b/;

interface Manifest {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

test('NOTICE names every dependency with its own licence', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
  const names = new Set(
    globSync('packages/*/package.json', { cwd: root })
      .flatMap((path) => Object.keys(read(path).dependencies ?? {}))
      .filter((name) => !name.startsWith('@contrails/')),
  );
  const manifests = [...names]
    .map((name) => ({ name, path: join('node_modules', name, 'package.json') }))
    .filter(({ path }) => existsSync(join(root, path)));
  expect(manifests.length).toBeGreaterThan(5);
  const notice = readFileSync(join(root, 'NOTICE'), 'utf8');
  const unnamed = manifests
    .filter(({ path }) => !COMMON.test(read(path).license ?? ''))
    .filter(({ name }) => !notice.includes(name));
  expect(unnamed).toEqual([]);
});
