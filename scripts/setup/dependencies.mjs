import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { npm } from './runtime.mjs';
import { say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

/** Installs the packages of the lockfile if it has changed since the last installation. */
export async function ensureDependencies(root, node) {
  const modules = join(root, 'node_modules');
  const stampFile = join(modules, '.contrails-stamp');
  const wanted = digest(root, {
    paths: ['package-lock.json', 'package.json'],
    words: [process.platform, process.arch],
  });
  if (!isStamped(stampFile, wanted)) {
    say('installing the packages of package-lock.json');
    // Not `npm ci`: it rejects a lockfile without the optional binaries of platforms that a registry did not offer.
    await npm(node, root, ['install', '--no-save']);
    stamp(stampFile, wanted);
  }
  putRuntimeFirst(modules, node);
}

/** `npm run` and `npx` search node_modules/.bin first: a link there makes them use the project's Node. */
function putRuntimeFirst(modules, node) {
  const link = join(modules, '.bin', 'node');
  if (node === process.execPath || process.platform === 'win32' || existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), node), link);
}
