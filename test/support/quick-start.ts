import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { repositoryRoot } from './tools.ts';

/** Entries of the library of schemas: 600 modules, which take a quarter of a second to load. */
const ENTRIES = ['typebox', 'typebox/compile', 'typebox/format', 'typebox/schema', 'typebox/value'];

/**
 * Hundreds of processes are started by the tests and run for a second or two. They start in half the time with the library
 * of schemas in a few files, and with modules that are compiled already, which processes that are killed never save.
 */
export default async function makeStartsQuick({ vitest }: TestProject): Promise<() => Promise<void>> {
  const isNeeded = vitest.state.getPaths().some((path) => /\.(integration|browser)\.test\.ts$/.test(path));
  if (!isNeeded) return async () => {};
  const folder = join(tmpdir(), 'quick start');
  mkdirSync(folder);
  await bundleSchemas(folder);
  const compiled = compileService(folder);
  return () => compiled;
}

/** The library as it is, in one file for each entry and what they share; a hook finds them under their names. */
async function bundleSchemas(folder: string): Promise<void> {
  const nameOf = (entry: string) => entry.replace('/', '-');
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(repositoryRoot, 'packages', 'service'),
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((entry) => [nameOf(entry), entry])),
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'shared-[name].mjs' },
      },
    },
  });
  const files = ENTRIES.map((entry) => [entry, pathToFileURL(join(folder, `${nameOf(entry)}.mjs`)).href]);
  const hook = join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    // Old versions of Node have no hooks, and run programs of the tests too.
    `import module from 'node:module';
const files = new Map(${JSON.stringify(files)});
module.registerHooks?.({
  resolve(name, context, next) {
    const url = files.get(name);
    return url === undefined ? next(name, context) : { url, format: 'module', shortCircuit: true };
  },
});
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
