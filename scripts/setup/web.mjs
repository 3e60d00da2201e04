import { join } from 'node:path';
import { run, say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

/** What the app is built from. */
const SOURCES = ['packages/web', 'packages/client/src', 'packages/flights/data', 'package-lock.json'];

/** Builds the app if its sources or the packages have changed. */
export async function ensureWebPage(root, node) {
  const web = join(root, 'packages', 'web');
  const stampFile = join(web, 'dist', '.stamp');
  const wanted = digest(root, { paths: SOURCES });
  if (isStamped(stampFile, wanted)) return;
  say('building the app');
  await run(node, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: web,
  });
  stamp(stampFile, wanted);
}
