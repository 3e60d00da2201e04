#!/usr/bin/env node
/**
 * Entry point of every npm command of the checkout: prepares what the command needs, then runs it. Uses Node
 * built-ins only and runs on Node 20, because it finds or downloads the Node that runs everything else.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureGenerated } from './setup/generated.mjs';
import { ensureRuntime } from './setup/runtime.mjs';
import { become, run, say } from './setup/shell.mjs';
import { ensureTools } from './setup/tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const tasks = {
  setup: async () => {},

  check: async (node) => check(node),

  start: async (node, args) => {
    become(node, [join(root, 'packages/cli/bin/contrails.mjs'), 'serve', '--demo', ...args], { cwd: root });
  },

  test: async (node, args) => {
    if (args.length > 0) return suite(node, args);
    await check(node);
    await suite(node, ['--project', 'tests', '--project', 'isolated']);
  },

  long: async (node, args) => suite(node, ['--project', 'long', ...args]),

  pack: async (node) => {
    await run(node, [join(root, 'scripts/pack.ts')], { cwd: root, show: true });
  },

  release: async (node, args) => {
    become(node, [join(root, 'scripts/release.ts'), ...args], { cwd: root });
  },

  bench: async (node, args) => runEach(node, 'bench', args),

  peer: async (node, args) => runEach(node, 'test/peer', args),

  fuzz: async (node, args) => runEach(node, 'test/fuzz', args),

  soak: async (node, args) => {
    const [program, ...rest] = args[0] === 'live' ? ['soak-live.ts', ...args.slice(1)] : ['soak.ts', ...args];
    become(node, [join(root, 'packages/service/test/chaos', program), ...rest], { cwd: root });
  },

  answers: async (node, args) => {
    become(node, [join(root, 'test/answers/compare.ts'), ...args], { cwd: root });
  },
};

async function suite(node, args) {
  const { vulkan } = await ensureTools(root);
  // The loader of libraries reads it when a process starts.
  if (vulkan !== null)
    process.env.LD_LIBRARY_PATH = [vulkan.libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  become(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: root });
}

/** Runs all programs of a folder, or the named ones. */
async function runEach(node, folder, names) {
  await ensureTools(root);
  const all = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'));
  const chosen = names.length > 0 ? names.map((name) => `${name.replace(/\.ts$/, '')}.ts`) : all;
  for (const name of chosen) {
    say(`${folder}/${name.replace(/\.ts$/, '')}`);
    // The memory of a server is limited in the same way.
    const env = { ...process.env, MALLOC_ARENA_MAX: '2' };
    const args = ['--expose-gc', '--max-semi-space-size=16', join(root, folder, name)];
    await run(node, args, { cwd: root, env, show: true });
  }
}

/** Format, types, layers and unused code; fast, so it runs before the tests. */
async function check(node) {
  const module = (path) => join(root, 'node_modules', path);
  // Each checker of types repeats much of what the others do, so there is one where another step takes the second core.
  const checkers = String(Math.max(1, Math.floor(availableParallelism() / 2)));
  const types = (...args) => [module('typescript/bin/tsc'), '--noEmit', '--checkers', checkers, ...args];
  const steps = {
    types: types(),
    format: [module('@biomejs/biome/bin/biome'), 'check', '.'],
    'types of physics': types('-p', join(root, 'packages/physics')),
    'types of the client': types('-p', join(root, 'packages/client')),
    'types of the manual': types('-p', join(root, 'packages/manual')),
    'types of the web page': types('-p', join(root, 'packages/web')),
    layers: [join(root, 'scripts/check-layers.ts')],
    'unused code': [module('knip/bin/knip.js')],
  };
  // The compiler ends before it needs that much memory: to collect its garbage would be a quarter of its work.
  const env = { GOGC: 'off', GOMEMLIMIT: '2GiB' };
  const left = Object.entries(steps);
  const faults = [];
  const work = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const [name, args] = step;
      say(`checking ${name}`);
      await run(node, args, { cwd: root, env }).catch((error) => faults.push(error.message));
    }
  };
  await Promise.all([work(), work()]);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

const [name, ...args] = process.argv.slice(2);
const task = tasks[name];
if (task === undefined) {
  say(`unknown task ${name}; choose one of ${Object.keys(tasks).join(', ')}`);
  process.exit(2);
}
try {
  const node = await ensureRuntime(root);
  process.env.PATH = `${dirname(node)}:${process.env.PATH}`;
  await ensureDependencies(root, node);
  await ensureGenerated(root, node);
  await task(node, args);
} catch (error) {
  say(error.message);
  process.exit(1);
}
