/**
 * `npm run release -- 0.2.0` prepares a release: the version in every package, a section of the changelog, tarballs, a
 * software bill of materials and checksums in `dist/release/`, a commit and a tag. It publishes and pushes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packPackages } from './pack-packages.ts';

const root = join(import.meta.dirname, '..');
const [version = ''] = process.argv.slice(2);
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' });

try {
  await release();
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  requireReady();
  const folder = join(root, 'dist', 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    writeVersion();
    cutChangelog(new Date().toISOString().slice(0, 10));
    await packPackages(folder);
    const bill = run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev');
    writeFileSync(join(folder, 'contrails.cdx.json'), bill);
    writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
    run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
    run('git', 'tag', '--annotate', `v${version}`, '--message', `Contrails ${version}`);
  } catch (error) {
    run('git', 'restore', '--staged', '--worktree', '.');
    throw error;
  }
  console.log(`v${version} is committed and tagged; its files are in dist/release.`);
  console.log(
    `Publish it with: git push --follow-tags, then npm publish dist/release/NAME.tgz for each package.`,
  );
}

function requireReady(): void {
  const current = manifestOf('package.json').version;
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(
      `'${version}' is not a version; give one such as ${current}: npm run release -- ${current}`,
    );
  }
  if (isBefore(version, current)) throw new Error(`${version} is before the current version ${current}`);
  if (run('git', 'tag', '--list', `v${version}`).trim() !== '')
    throw new Error(`the tag v${version} exists; choose the next version`);
  const changes = run('git', 'status', '--porcelain').trim();
  if (changes !== '') throw new Error(`commit or stash these changes first:\n${changes}`);
  if (unreleased(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).notes === '')
    throw new Error('CHANGELOG.md lists nothing under "## Unreleased"; a release needs at least one line');
}

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}

function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const index = a.findIndex((number, k) => number !== b[k]);
  return index >= 0 && (a[index] as number) < (b[index] as number);
}

/** Packages of the repository have one version and depend on each other by it. */
function writeVersion(): void {
  for (const path of ['package.json', ...globSync('{packages/*,bench,test/api}/package.json', { cwd: root })])
    writeJson(path, withVersion(manifestOf(path)));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    version: string;
    packages: Record<string, Manifest & { link?: boolean }>;
  };
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages))
    if (!path.includes('node_modules/')) lock.packages[path] = withVersion(entry);
  writeJson('package-lock.json', lock);
}

function withVersion<M extends Manifest>(manifest: M): M {
  const pinned = (ranges: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(ranges).map(([name, range]) => [name, name.startsWith('@contrails/') ? version : range]),
    );
  const { dependencies, devDependencies } = manifest;
  return {
    ...manifest,
    version,
    ...(dependencies && { dependencies: pinned(dependencies) }),
    ...(devDependencies && { devDependencies: pinned(devDependencies) }),
  };
}

function writeJson(path: string, value: object): void {
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
}

/** The text before the notes of the next release, the notes, and the text behind them. */
function unreleased(changelog: string): { before: string; notes: string; after: string } {
  const heading = '## Unreleased\n';
  const start = changelog.indexOf(heading);
  if (start < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  const begin = start + heading.length;
  const next = changelog.indexOf('\n## ', begin);
  const end = next < 0 ? changelog.length : next + 1;
  return {
    before: changelog.slice(0, begin),
    notes: changelog.slice(begin, end).trim(),
    after: changelog.slice(end),
  };
}

function cutChangelog(date: string): void {
  const path = join(root, 'CHANGELOG.md');
  const { before, notes, after } = unreleased(readFileSync(path, 'utf8'));
  writeFileSync(path, `${before}\n## ${version} (${date})\n\n${notes}\n${after === '' ? '' : `\n${after}`}`);
}

function checksums(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    })
    .join('');
}
