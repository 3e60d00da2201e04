import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, say } from './shell.mjs';

const OLDEST = [22, 18];
const RUNTIME_VERSION = '24.21.0';

/**
 * The Node that runs the project: the current one if it is new enough, otherwise the runtime package of the npm
 * registry, installed in `.runtime/`, which `npm ci` keeps.
 */
export async function ensureRuntime(root) {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const binary = join(root, '.runtime', 'node_modules', name, 'bin', executable);
  if (!existsSync(binary) || (await versionOf(binary)) !== `v${RUNTIME_VERSION}`) {
    say(
      `Node ${process.versions.node} is older than ${OLDEST.join('.')}: adding Node ${RUNTIME_VERSION} to .runtime/`,
    );
    await npm(process.execPath, root, [
      'install',
      '--prefix',
      join(root, '.runtime'),
      '--no-save',
      '--no-package-lock',
      `${name}@${RUNTIME_VERSION}`,
    ]);
    chmodSync(binary, 0o755);
  }
  return binary;
}

/** Runs npm with the given Node, however this process was started. */
export function npm(node, root, args) {
  const cli = process.env.npm_execpath;
  const quiet = ['--no-fund', '--no-audit', '--loglevel=error'];
  return cli?.endsWith('.js')
    ? run(node, [cli, ...args, ...quiet], { cwd: root })
    : run('npm', [...args, ...quiet], { cwd: root });
}

async function versionOf(binary) {
  return (await run(binary, ['--version']).catch(() => '')).trim();
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
