/**
 * Checks that imports go down only. A package may import itself and declared dependencies, of our packages only those
 * in a layer below; a relative import may not leave its package, nor one of a family enter another. Inside a package, neither modules nor rooms (the folders
 * of `src`) import one another in a cycle. Prints the rooms of each package, top to bottom.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { cycles, floors, importGraph, roomGraph } from './import-graph.ts';
import { findViolations } from './layers.ts';

const root = join(import.meta.dirname, '..');
const files = globSync('packages/*/{src,bin}/**/*.{ts,tsx,mjs}', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
const manifests = Object.fromEntries(
  globSync('packages/*/package.json', { cwd: root }).map((path) => [
    basename(dirname(path)),
    JSON.parse(readFileSync(resolve(root, path), 'utf8')),
  ]),
);
const violations = findViolations(root, files, manifests);
for (const name of Object.keys(manifests).sort()) {
  const modules = importGraph(name, files);
  const rooms = roomGraph(modules);
  for (const circle of [...cycles(modules), ...cycles(rooms)]) {
    violations.push(`${name}: ${circle.join(', ')} import one another in a circle`);
  }
  console.log(
    `${name}\n${floors(rooms)
      .map((line) => `    ${line.join('  ')}`)
      .join('\n')}`,
  );
}
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exit(1);
