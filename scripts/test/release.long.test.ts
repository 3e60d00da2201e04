/** The release program, run in a clone of the repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../test/support/tools.ts';

/** What set-up makes and git does not keep. */
const MADE = ['packages/web/dist', 'packages/manual/dist', 'packages/physics/src/data'];
const VERSION = '9.8.7';
const clone = join(mkdtempSync(join(tmpdir(), 'release-')), 'clone');
const git = (...args: string[]) => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' });
const release = (version: string) =>
  spawnSync(process.execPath, [join(clone, 'scripts/release.ts'), version], { encoding: 'utf8' });
const read = (path: string) => readFileSync(join(clone, path), 'utf8');

describe.skipIf(!existsSync(join(repositoryRoot, '.git')))('a release', () => {
  beforeAll(() => {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${repositoryRoot}`, clone]);
    for (const path of MADE) cpSync(join(repositoryRoot, path), join(clone, path), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(clone, 'node_modules'));
    // Changes that are not committed yet are tried too.
    for (const path of ['scripts', 'package.json'])
      cpSync(join(repositoryRoot, path), join(clone, path), { recursive: true });
    writeFileSync(join(clone, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- Something new.\n');
    writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.org');
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'Prepare');
  });

  test.each([
    ['a version that is not one', 'next', /'next' is not a version/],
    ['a version before the current one', '0.0.1', /0\.0\.1 is before the current version/],
  ])('refuses %s and changes nothing', (_, version, message) => {
    const { status, stderr } = release(version);
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('refuses while something is not committed', () => {
    writeFileSync(join(clone, 'forgotten.txt'), 'x');
    expect(release(VERSION).stderr).toMatch(/commit or stash these changes first:\n\?\? forgotten\.txt/);
    git('clean', '--quiet', '--force', 'forgotten.txt');
  });

  test('has one version, notes, tarballs with checksums, a bill of materials and a tag', () => {
    const { status, stderr } = release(VERSION);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(git('tag', '--points-at', 'HEAD').trim()).toBe(`v${VERSION}`);
    expect(git('status', '--porcelain')).toBe('');
    expect(read('CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n- Something new\.\n$/,
    );
    const cli = JSON.parse(read('packages/cli/package.json'));
    expect([cli.version, cli.dependencies['@contrails/service']]).toEqual([VERSION, VERSION]);
    expect(JSON.parse(read('package-lock.json')).packages['packages/cli'].version).toBe(VERSION);

    const folder = join(clone, 'dist/release');
    const names = readdirSync(folder);
    expect(names).toContain(`contrails-physics-${VERSION}.tgz`);
    const listed = read('dist/release/SHA256SUMS').trim().split('\n');
    expect(listed).toHaveLength(names.length - 1);
    for (const line of listed) {
      const [sum, name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ).toBe(sum);
    }
    const { bomFormat, components } = JSON.parse(read('dist/release/contrails.cdx.json'));
    expect(bomFormat).toBe('CycloneDX');
    expect(components.map(({ name }: { name: string }) => name)).toContain('fastify');
    const manifest = execFileSync('tar', [
      '-xzOf',
      join(folder, `contrails-client-${VERSION}.tgz`),
      'package/package.json',
    ]);
    expect(JSON.parse(String(manifest))).toMatchObject({
      version: VERSION,
      repository: { directory: 'packages/client' },
      bugs: expect.stringMatching(/issues$/),
    });
  });

  test('cannot be made twice', () => {
    expect(release(VERSION).stderr).toMatch(/the tag v9\.8\.7 exists/);
  });
});
