import { join } from 'node:path';
import { run, say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

/** Builds the manual if its pages or the packages have changed. */
export async function ensureManual(root, node) {
  const manual = join(root, 'packages', 'manual');
  const stampFile = join(manual, 'dist', '.stamp');
  const wanted = digest(root, {
    paths: ['docs', 'packages/manual', 'packages/client/README.md', 'package-lock.json'],
  });
  if (isStamped(stampFile, wanted)) return;
  say('building the manual');
  await run(node, [join(manual, 'src', 'build.ts')], { cwd: root });
  stamp(stampFile, wanted);
}
