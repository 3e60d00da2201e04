import { join } from 'node:path';
import { run, say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

/** Builds the web page if its sources or the packages have changed. */
export async function ensureWebPage(root, node) {
  const web = join(root, 'packages', 'web');
  const stampFile = join(web, 'dist', '.stamp');
  const wanted = digest(root, { paths: ['packages/web', 'package-lock.json'] });
  if (isStamped(stampFile, wanted)) return;
  say('building the web page');
  await run(node, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: web,
  });
  stamp(stampFile, wanted);
}
