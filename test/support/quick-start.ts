import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type { TestProject } from 'vitest/node';
import { repositoryRoot } from './tools.ts';

/** Libraries of many modules: some take a quarter of a second to load. */
const LIBRARIES = [
  '@aws-sdk/client-s3',
  '@fastify/swagger',
  'commander',
  'cron-parser',
  'fastify',
  'pg',
  'pg-boss',
  'pino',
  'prom-client',
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/schema',
  'typebox/value',
  'yaml',
];

/** Programs that the tests start most often. What they import is bundled; what only a few use is loaded as it is. */
const PROGRAMS = [
  'packages/cli/src/main.ts',
  'packages/cli/test/support/programs/warm.ts',
  ...globSync('packages/service/test/{chaos,keys,support}/programs/*.ts', { cwd: repositoryRoot }),
];

/** When a process first saves what it has compiled; then after twice the time, and so on. */
const FLUSH_MS = 1500;

/** Where modules that run in threads are named, and how. */
const STARTERS = ['packages/!(web)/src/**/*.ts', 'packages/service/test/support/trial/*.ts'];
const THREAD = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g;

/**
 * Hundreds of processes are started by the tests and run for a second or two. They start in about half the time with
 * libraries and sources in a few files, and with modules that are compiled already.
 */
export default async function makeStartsQuick({ vitest }: TestProject): Promise<() => Promise<void>> {
  const isNeeded = vitest.state
    .getPaths()
    .some((path) => /\.(integration|browser|long)\.test\.ts$/.test(path));
  if (!isNeeded) return async () => {};
  const folder = join(tmpdir(), 'quick start');
  mkdirSync(folder);
  const libraries = await bundleLibraries(folder);
  const programs = await bundleSources(folder, libraries);
  useBundles(folder, [...libraries, ...programs]);
  const compiled = compileService(folder);
  return () => compiled;
}

/** The libraries as they are, in one file for each and what they share, under their names. */
async function bundleLibraries(folder: string): Promise<Map<string, string>> {
  const nameOf = (library: string) => library.replaceAll('/', '-');
  await bundle(
    folder,
    Object.fromEntries(LIBRARIES.map((library) => [nameOf(library), `${ENTRY}${library}`])),
    [await entriesOf(LIBRARIES)],
  );
  return new Map(LIBRARIES.map((name) => [name, urlOf(folder, nameOf(name))]));
}

const ENTRY = 'entry:';

/** Modules that export what Node finds in a library, which of CommonJS is more than a bundler does. */
async function entriesOf(libraries: readonly string[]): Promise<Plugin> {
  const namespaces = await Promise.all(libraries.map((library) => import(library) as Promise<object>));
  const sources = new Map(
    libraries.map((library, k) => {
      const names = Object.keys(namespaces[k] ?? {}).filter(
        (name) => /^[\w$]+$/.test(name) && name !== 'default',
      );
      return [
        `${ENTRY}${library}`,
        `import * as library from ${JSON.stringify(library)};
export default library.default;
${names.map((name) => `export const ${name} = library.${name};`).join('\n')}`,
      ];
    }),
  );
  return {
    name: 'entries',
    resolveId: (id) => (sources.has(id) ? id : null),
    load: (id) => sources.get(id) ?? null,
  };
}

/**
 * The sources of the programs and of their threads, by the addresses of the files they are made of. Each module still finds
 * what is next to its source.
 */
async function bundleSources(
  folder: string,
  libraries: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const starters = globSync(STARTERS, { cwd: repositoryRoot });
  const threads = starters.flatMap((path) =>
    [...readFileSync(join(repositoryRoot, path), 'utf8').matchAll(THREAD)].map(([, name = '']) =>
      join(dirname(path), name),
    ),
  );
  const sources = new Set([...PROGRAMS, ...threads].filter((path) => existsSync(join(repositoryRoot, path))));
  const nameOf = (source: string) => relative('packages', source).replaceAll('/', '-').replace(/\.ts$/, '');
  const plugin: Plugin = {
    name: 'sources',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (importer === undefined || /^(\.|\/|node:|@contrails\/)/.test(id)) return null;
      const bundled = libraries.get(id);
      if (bundled !== undefined) return { id: bundled, external: true };
      const path = asNodeFinds(id, importer) ?? (await this.resolve(id, importer, { skipSelf: true }))?.id;
      return path === undefined ? null : { id: pathToFileURL(path).href, external: true };
    },
    transform(code, id) {
      if (!code.includes('import.meta.')) return null;
      return (
        code
          .replaceAll(THREAD, (whole, name: string) => {
            const source = relative(repositoryRoot, join(dirname(id), name));
            return !sources.has(source) ? whole : `new URL(${JSON.stringify(urlOf(folder, nameOf(source)))})`;
          })
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
          // In one file with the program, what is imported would take itself for it.
          .replaceAll('import.meta.main', 'false')
      );
    },
  };
  const list = [...sources];
  await bundle(folder, Object.fromEntries(list.map((path) => [nameOf(path), join(repositoryRoot, path)])), [
    plugin,
  ]);
  return new Map(
    list.map((path) => [pathToFileURL(join(repositoryRoot, path)).href, urlOf(folder, nameOf(path))]),
  );
}

/** The file of a library, unless it has modules only. The bundler may take one that Node cannot load. */
function asNodeFinds(library: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(library);
  } catch {
    return undefined;
  }
}

async function bundle(folder: string, input: Record<string, string>, plugins: Plugin[]): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(repositoryRoot, 'packages', 'service'),
    // As Node resolves names.
    resolve: { mainFields: ['main'], conditions: ['node'] },
    ssr: { noExternal: true },
    plugins,
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input,
        external: ['pg-native'],
        preserveEntrySignatures: 'strict',
        // Errors are known by the names of their classes.
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: 'shared-[name]-[hash].mjs',
          keepNames: true,
        },
      },
    },
  });
}

function urlOf(folder: string, name: string): string {
  return pathToFileURL(join(folder, `${name}.mjs`)).href;
}

/** A hook finds bundles by the names of libraries and by the addresses of programs. */
function useBundles(folder: string, bundles: readonly (readonly [string, string])[]): void {
  const hook = join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    // Old versions of Node have no hooks, and run programs of the tests too.
    `import module from 'node:module';
const bundles = new Map(${JSON.stringify(bundles)});
const bundled = (url) => ({ url, format: 'module', shortCircuit: true });
module.registerHooks?.({
  resolve(name, context, next) {
    const library = bundles.get(name);
    if (library !== undefined) return bundled(library);
    const found = next(name, context);
    const program = bundles.get(found.url);
    return program === undefined ? found : bundled(program);
  },
});
// Processes that are killed save nothing at their end.
const flushAfter = (ms) =>
  setTimeout(() => {
    module.flushCompileCache?.();
    flushAfter(2 * ms);
  }, ms).unref();
flushAfter(${FLUSH_MS});
`,
  );
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(hook).href}`.trim();
}

/** Starts a service and ends it as soon as it is ready. */
function compileService(folder: string): Promise<void> {
  const program = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
  const data = join(folder, 'data');
  const service = spawn(process.execPath, [program, 'serve', '--port', '0', '--data', data], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  service.stdout.once('data', () => service.kill('SIGTERM'));
  return new Promise((resolve) => {
    service.once('error', () => resolve());
    service.once('exit', () => resolve());
  });
}
