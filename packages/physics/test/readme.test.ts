import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);

test('the README has an example of a point and one of the contrail model', () => {
  expect(examples).toHaveLength(2);
  expect(examples[1]).toContain('followContrails');
});

test.each(examples)('example %# of the README prints what its last comment says', async (code) => {
  const [, printed] = /\/\/ (.*)\n$/.exec(code) ?? [];
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
  });
  expect(stdout).toBe(`${printed}\n`);
});
