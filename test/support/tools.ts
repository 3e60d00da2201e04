import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Tools {
  readonly chromium: string | null;
  readonly versitygw: string | null;
  readonly python: string | null;
  /** Folder of the programs that came with packages of Python. */
  readonly pythonPrograms: string | null;
  readonly moto: string | null;
  readonly ncdump: string | null;
  /** The `node_modules` that has ONNX Runtime. */
  readonly onnx: string | null;
  /** A GPU that is a program: the folder of the Vulkan library, and the description of the driver. */
  readonly vulkan: { readonly libraries: string; readonly driver: string } | null;
  readonly missing: Readonly<Record<string, string>>;
}

export const repositoryRoot = join(import.meta.dirname, '..', '..');

/** What the set-up found or installed for the tests; see `scripts/setup/tools.mjs`. */
export function readTools(): Tools {
  const file = join(repositoryRoot, '.cache', 'tools.json');
  if (!existsSync(file)) throw new Error('.cache/tools.json is missing: run the tests with `npm test`');
  const tools = JSON.parse(readFileSync(file, 'utf8')) as Omit<Tools, 'pythonPrograms'>;
  const { python } = tools;
  if (python === null) return { ...tools, pythonPrograms: null };
  return { ...tools, python: process.env.TEST_PYTHON ?? python, pythonPrograms: dirname(python) };
}
