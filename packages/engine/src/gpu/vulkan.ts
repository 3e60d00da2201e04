import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const LIBRARY = 'libvulkan.so.1';
const LIBRARY_FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib', '/lib', '/lib64'];
const DRIVER_ROOTS = ['/etc', '/usr/share', '/usr/local/share', '/usr/local/etc', '/opt/share'];

/**
 * What of Vulkan is not on this machine; undefined where all is there, and on systems that have something else. Dawn looks for it too,
 * and writes to the standard error output what it does not find.
 */
export function missingOfVulkan(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== 'linux') return undefined;
  const paths = (environment.LD_LIBRARY_PATH ?? '').split(delimiter).filter((path) => path !== '');
  const hasLibrary =
    [...paths, ...LIBRARY_FOLDERS].some((folder) => existsSync(join(folder, LIBRARY))) ||
    textOf('/etc/ld.so.cache').includes(LIBRARY);
  if (!hasLibrary) return `${LIBRARY} is not installed; on Debian it is in libvulkan1`;
  const given =
    environment.VK_DRIVER_FILES ?? environment.VK_ICD_FILENAMES ?? environment.VK_ADD_DRIVER_FILES ?? '';
  const roots = [...DRIVER_ROOTS, join(homedir(), '.local/share'), join(homedir(), '.config')];
  const data = (environment.XDG_DATA_DIRS ?? '').split(delimiter).filter((path) => path !== '');
  const hasDriver =
    given !== '' || [...roots, ...data].some((root) => namesIn(join(root, 'vulkan/icd.d')).length > 0);
  return hasDriver ? undefined : 'no driver for Vulkan is installed; install that of the GPU';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
