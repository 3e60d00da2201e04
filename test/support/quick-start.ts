import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** How often a process saves what it has compiled. */
const FLUSH_MS = 1500;

/**
 * Hundreds of processes are started by the tests and run for a second or two. They start in half the time with
 * libraries in a few files, and with modules that are compiled already.
 */
export default async function makeStartsQuick({ vitest }: TestProject): Promise<() => Promise<void>> {
  const isNeeded = vitest.state.getPaths().some((path) => /\.(integration|browser)\.test\.ts$/.test(path));
  if (!isNeeded) return async () => {};
  const folder = join(tmpdir(), 'quick start');
  mkdirSync(folder);
  await bundleLibraries(folder);
  const compiled = compileService(folder);
  return () => compiled;
}

/** The libraries as they are, in one file for each and what they share; a hook finds them and the sources by their names. */
async function bundleLibraries(folder: string): Promise<void> {
  const root = join(repositoryRoot, 'packages', 'service');
  const nameOf = (library: string) => library.replaceAll('/', '-');
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    ssr: { noExternal: true },
    plugins: [await entriesOf(LIBRARIES)],
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input: Object.fromEntries(LIBRARIES.map((library) => [nameOf(library), `${ENTRY}${library}`])),
        external: ['pg-native'],
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared-[name].mjs' },
      },
    },
  });
  const files = LIBRARIES.map((name) => [name, pathToFileURL(join(folder, `${nameOf(name)}.mjs`)).href]);
  const sources = pathToFileURL(join(repositoryRoot, 'packages/')).href;
  const hook = join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    // Old versions of Node have no hooks, and run programs of the tests too.
    `import module from 'node:module';
const libraries = new Map(${JSON.stringify(files)});
const packages = new Map(${JSON.stringify(exportsOfPackages())});
const nameOfSource = (name, from) => {
  if (!from?.startsWith(${JSON.stringify(sources)})) return undefined;
  return /^[.].*[.]ts$/.test(name) ? new URL(name, from).href : packages.get(name);
};
module.registerHooks?.({
  resolve(name, context, next) {
    const library = libraries.get(name);
    if (library !== undefined) return { url: library, format: 'module', shortCircuit: true };
    const source = nameOfSource(name, context.parentURL);
    return source === undefined ? next(name, context) : { url: source, format: 'module-typescript', shortCircuit: true };
  },
});
// Processes that are killed save nothing at their end.
setInterval(() => module.flushCompileCache?.(), ${FLUSH_MS}).unref();
`,
  );
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(hook).href}`.trim();
}

/** Names by which sources import those of another package, and where these are: Node looks at ten files to find out. */
function exportsOfPackages(): [name: string, url: string][] {
  const folder = join(repositoryRoot, 'packages');
  return globSync('*/package.json', { cwd: folder }).flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(folder, path), 'utf8')) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, string>>;
    };
    return Object.entries(manifest.exports ?? {}).map(([name, file]): [string, string] => [
      manifest.name + name.slice(1),
      pathToFileURL(join(folder, path, '..', file)).href,
    ]);
  });
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
