import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, say } from './shell.mjs';
import { digest, isStamped, stamp } from './stamp.mjs';

const ONNX_RUNTIME = 'onnxruntime-web@1.30.0';
const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

/**
 * The tools that the tests need besides npm packages. Each tool is found or installed into `.cache/`. An unavailable
 * tool is `null` with the reason in `missing`, and the tests that need it are listed as skipped.
 */
export async function ensureTools(root) {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const missing = {};
  const attempt = async (name, find) => {
    try {
      return await find();
    } catch (error) {
      missing[name] = String(error.message).trim().split('\n').at(-1);
      say(`${name} is not available, tests that need it are skipped: ${missing[name]}`);
      return null;
    }
  };
  const python = await attempt('python', () => findPython(root, cache));
  const tools = {
    chromium: await attempt('chromium', findChromium),
    versitygw: await attempt('versitygw', () => findVersitygw(cache)),
    python,
    moto: python && join(cache, 'venv', 'bin', 'moto_server'),
    ncdump: await attempt('ncdump', findNcdump),
    onnx: await attempt('onnx', () => findOnnxRuntime(cache)),
    vulkan: await attempt('vulkan', () => findVulkan(cache)),
  };
  writeFileSync(join(cache, 'tools.json'), `${JSON.stringify({ ...tools, missing }, null, 2)}\n`);
  return tools;
}

async function findChromium() {
  const candidates = [
    process.env.CHROME_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return findOrInstall(candidates, 'chromium', 'no Chromium found; install it or set CHROME_PATH');
}

/**
 * The driver of a GPU that is a program, which comes with Chromium. Its library is linked into a separate folder, because
 * the folder of Chromium has libraries that other programs must not find.
 */
function findVulkan(cache) {
  const candidates = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'];
  const folder = candidates.find((path) => existsSync(join(path, 'vk_swiftshader_icd.json')));
  if (folder === undefined) throw new Error('no SwiftShader found; install Chromium');
  const libraries = join(cache, 'vulkan');
  const link = join(libraries, 'libvulkan.so.1');
  mkdirSync(libraries, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(realpathSync(join(folder, 'libvulkan.so.1')), link);
  return { libraries, driver: join(folder, 'vk_swiftshader_icd.json') };
}

/** The `ncdump` of the netCDF library, which is stricter than most readers. */
function findNcdump() {
  const candidates = ['/usr/bin/ncdump', '/usr/local/bin/ncdump', '/opt/homebrew/bin/ncdump'];
  return findOrInstall(candidates, 'netcdf-bin', 'no ncdump found; install the netCDF tools');
}

/** The first program that exists; installs its Debian package if possible. */
async function findOrInstall(candidates, debianPackage, otherwise) {
  const found = () => candidates.find((path) => path && existsSync(path));
  if (found()) return found();
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) throw new Error(otherwise);
  say(`installing ${debianPackage} for the tests`);
  await run('apt-get', ['update', '-q']);
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', debianPackage], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
  return found();
}

/** An S3-compatible gateway over a directory that enforces conditional puts. */
async function findVersitygw(cache) {
  const binary = join(cache, 'bin', 'versitygw');
  const stampFile = join(cache, 'bin', '.versitygw-stamp');
  if (existsSync(binary) && isStamped(stampFile, VERSITYGW)) return binary;
  await run('go', ['version']).catch(() => {
    throw new Error('Go is not installed; it is needed to build the S3-compatible test server');
  });
  say(`building the S3-compatible test server (${VERSITYGW})`);
  await run('go', ['install', VERSITYGW], {
    env: { GOBIN: join(cache, 'bin'), CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
  });
  stamp(stampFile, VERSITYGW);
  return binary;
}

/** The directory of packages with ONNX Runtime, which users install beside their model. */
async function findOnnxRuntime(cache) {
  const folder = join(cache, 'onnx');
  const packages = join(folder, 'node_modules');
  const stampFile = join(folder, '.contrails-stamp');
  if (existsSync(packages) && isStamped(stampFile, ONNX_RUNTIME)) return packages;
  say(`installing ${ONNX_RUNTIME} for the tests`);
  mkdirSync(folder, { recursive: true });
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, ONNX_RUNTIME]);
  stamp(stampFile, ONNX_RUNTIME);
  return packages;
}

/** A virtual environment with the packages of `test/peer/requirements.txt`. */
async function findPython(root, cache) {
  const venv = join(cache, 'venv');
  const python = join(venv, 'bin', 'python');
  const stampFile = join(venv, '.contrails-stamp');
  const wanted = digest(root, { paths: ['test/peer/requirements.txt'] });
  if (existsSync(python) && isStamped(stampFile, wanted)) return python;
  await run('python3', ['--version']).catch(() => {
    throw new Error('python3 is not installed');
  });
  say('creating the Python environment of the peer tests');
  await run('python3', ['-m', 'venv', venv]);
  await run(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    join(root, 'test/peer/requirements.txt'),
  ]);
  stamp(stampFile, wanted);
  return python;
}
