import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

/** Generated folders: the committed files each depends on, the folder, one of its files, and the command. */
const GENERATED = [
  {
    name: 'making the tables of the models',
    sources: ['packages/physics/data', 'packages/physics/scripts'],
    folder: 'packages/physics/src/data',
    file: 'engines-nvpm.ts',
    command: ['packages/physics/scripts/make-tables.ts'],
  },
  {
    name: 'building the app',
    sources: ['packages/web', 'packages/client/src', 'packages/flights/data', 'package-lock.json'],
    folder: 'packages/web/dist',
    file: 'index.html',
    command: ['node_modules/vite/bin/vite.js', 'build', 'packages/web', '--logLevel', 'warn'],
  },
  {
    name: 'building the manual',
    sources: ['docs', 'packages/manual', 'packages/client/README.md', 'package-lock.json'],
    folder: 'packages/manual/dist',
    file: 'index.html',
    command: ['packages/manual/src/build.ts'],
  },
];

/** Makes what is missing or older than its sources. */
export async function ensureGenerated(root, node) {
  for (const { name, sources, folder, file, command } of GENERATED) {
    const stampFile = join(root, folder, '.stamp');
    const wanted = digest(root, { paths: sources });
    // A checkout of another commit may remove files and leave the stamp.
    if (isStamped(stampFile, wanted) && existsSync(join(root, folder, file))) continue;
    say(name);
    await run(node, command, { cwd: root });
    stamp(stampFile, wanted);
  }
}
