/** `npm run pack` writes a tarball of every package to `dist/packages/`. */
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packPackages } from './pack-packages.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist', 'packages');
rmSync(folder, { recursive: true, force: true });
for (const file of await packPackages(folder)) console.log(relative(root, file));
