/**
 * Imports go down only. A package may import itself, what it declares as a dependency, and only packages
 * that stand below it in the house; a relative import may not leave its package.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { findFaults } from './layers.ts';

const root = join(import.meta.dirname, '..');
const faults = findFaults(
  root,
  globSync('packages/*/{src,bin}/**/*.{ts,tsx,mjs}', { cwd: root }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  })),
  Object.fromEntries(
    globSync('packages/*/package.json', { cwd: root }).map((path) => [
      relative('packages', dirname(path)),
      JSON.parse(readFileSync(resolve(root, path), 'utf8')),
    ]),
  ),
);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
