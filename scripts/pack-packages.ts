/**
 * Tarballs of all packages, as `npm publish` would send them: compiled JavaScript with types instead of the TypeScript
 * sources that run in the checkout. The same sources give the same bytes.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Manifest {
  name: string;
  version: string;
  description?: string;
  exports?: Record<string, string>;
  /** Folders that are read at run time, besides the compiled sources. */
  files?: string[];
  bin?: Record<string, string>;
  /** Where it differs from that of the others. */
  engines?: Record<string, string>;
  dependencies?: Record<string, string>;
  sideEffects?: boolean;
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
/** Where the project lives and what it is about is set once, in the manifest of the repository. */
const { repository, keywords } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  repository: string;
  keywords: string[];
};
/** Files of the repository that every tarball contains. */
const LEGAL_FILES = ['LICENSE', 'NOTICE'];
/** Plain JavaScript needs no type stripping; from this version on, `node:sqlite` needs no flag. */
const ENGINES = { node: '>=22.13' };
/** The compiler ends before it needs that much memory: to collect its garbage would be a quarter of its work. */
export const COMPILER_ENVIRONMENT = { GOGC: 'off', GOMEMLIMIT: '2GiB' };
/** Pages that are built, not compiled. */
const BUILT = ['manual', 'web'];

const names = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);

/** Packs every package into a folder and returns the paths of the tarballs. */
export function packPackages(folder: string): Promise<string[]> {
  return withStagedPackages((staged) => packFolders([...staged.values()], folder));
}

/** Does something with the contents of all tarballs: a folder for each package, by its name. */
export async function withStagedPackages<T>(
  use: (staged: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const work = mkdtempSync(join(root, 'dist', 'pack-'));
  try {
    const compiled = await compile(work);
    return await use(new Map(names.map((name) => [name, stage(name, compiled, join(work, 'staged', name))])));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Packs staged packages and returns the paths of the tarballs. */
export async function packFolders(staged: readonly string[], folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', folder, ...staged]);
  return readdirSync(folder)
    .sort()
    .map((file) => join(folder, file));
}

/** Compiles all packages at once, each into its own folder. */
async function compile(work: string): Promise<string> {
  const compiled = join(work, 'compiled');
  const config = join(work, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        // `npm run check` checks the types.
        noCheck: true,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        stripInternal: true,
        rootDir: '../../packages',
        outDir: './compiled',
      },
      include: names.filter((name) => !BUILT.includes(name)).map((name) => `../../packages/${name}/src`),
      exclude: [],
    }),
  );
  // In one thread, since types may be written in the order in which they are met.
  const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '-p', config, '--singleThreaded'];
  await run(process.execPath, compiler, { cwd: root, env: { ...process.env, ...COMPILER_ENVIRONMENT } });
  // The compiler rewrites imports of JavaScript only: not those of declarations, nor modules that threads load by address.
  for (const file of globSync('**/*.{js,d.ts}', { cwd: compiled })) {
    const path = join(compiled, file);
    const text = readFileSync(path, 'utf8');
    const pattern = file.endsWith('.js')
      ? /(new URL\(\s*['"]\.[^'"]*)\.ts(?=['"],\s*import\.meta\.url)/g
      : /((?:from|import)\s*\(?\s*['"]\.[^'"]*)\.ts(?=['"])/g;
    writeFileSync(path, text.replace(pattern, '$1.js'));
  }
  return compiled;
}

/** Assembles the contents of the tarball of a package. */
function stage(name: string, compiled: string, folder: string): string {
  const source = join(root, 'packages', name);
  mkdirSync(folder, { recursive: true });
  if (BUILT.includes(name))
    cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true, filter: isPublished });
  else cpSync(join(compiled, name, 'src'), join(folder, 'dist'), { recursive: true });
  for (const file of LEGAL_FILES) cpSync(join(root, file), join(folder, file));
  if (existsSync(join(source, 'README.md'))) cpSync(join(source, 'README.md'), join(folder, 'README.md'));
  if (existsSync(join(source, 'bin'))) {
    mkdirSync(join(folder, 'bin'));
    for (const file of readdirSync(join(source, 'bin'))) {
      const text = readFileSync(join(source, 'bin', file), 'utf8');
      writeFileSync(join(folder, 'bin', file), text.replace(/'\.\.\/src\/([^']+)\.ts'/g, "'../dist/$1.js'"), {
        mode: 0o755,
      });
    }
  }
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  for (const file of manifest.files ?? [])
    cpSync(join(source, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published(manifest, name), null, 2)}\n`);
  return folder;
}

/** The stamp records for the checkout whether the page is current. */
function isPublished(path: string): boolean {
  return !path.endsWith('.stamp');
}

function published(manifest: Manifest, name: string): object {
  const { name: fullName, version, description, bin, dependencies, sideEffects } = manifest;
  const exports = Object.entries(manifest.exports ?? {}).map(([subject, path]) => [
    subject,
    publishedPath(path),
  ]);
  const page = repository.replace(/^git\+|\.git$/g, '');
  return {
    name: fullName,
    version,
    description,
    license: 'Apache-2.0',
    keywords,
    repository: { type: 'git', url: repository, directory: `packages/${name}` },
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
    type: 'module',
    engines: manifest.engines ?? ENGINES,
    ...(sideEffects === undefined ? {} : { sideEffects }),
    ...(exports.length === 0 ? {} : { exports: Object.fromEntries(exports) }),
    ...(bin && { bin }),
    files: ['dist', 'bin', ...(manifest.files ?? []), ...LEGAL_FILES],
    // Built pages are bundled with everything they need.
    ...(dependencies && !BUILT.includes(name) ? { dependencies } : {}),
  };
}

function publishedPath(path: string): string | { types: string; default: string } {
  const match = /^\.\/src\/(.+)\.ts$/.exec(path);
  return match ? { types: `./dist/${match[1]}.d.ts`, default: `./dist/${match[1]}.js` } : path;
}
