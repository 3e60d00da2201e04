import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readableLine } from '../src/log.ts';

/** Runs some statements with a logger in a process of their own and answers what came out. */
function logged(settings: { level: string; format: string }, statements: string) {
  const code = `
    import { createLog } from '${new URL('../src/log.ts', import.meta.url)}';
    import { Secret } from '${new URL('../src/config/secret.ts', import.meta.url)}';
    const log = createLog(${JSON.stringify(settings)});
    ${statements}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  return { stdout, lines: stderr.trim().split('\n') };
}

test('lines go to standard error as JSON and none is lost at exit', () => {
  const { stdout, lines } = logged(
    { level: 'info', format: 'auto' },
    `for (let i = 0; i < 1000; i++) log.info({ i }, 'line'); log.debug('hidden'); process.exit(3);`,
  );
  expect(stdout).toBe('');
  expect(lines.map((line) => JSON.parse(line).i)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
});

test('an error is logged without the properties a library hung on it', () => {
  const { lines } = logged(
    { level: 'info', format: 'json' },
    `log.error(Object.assign(new Error('no answer'), { code: 'EX', input: 'postgres://u:hunter2@h' }));
     log.info({ password: new Secret('hunter2') }, 'secret');`,
  );
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { message: 'no answer', code: 'EX' } });
  expect(lines.join('')).not.toContain('hunter2');
});

test('readable lines have time, severity, message and facts on one line', () => {
  const line = JSON.stringify({ level: 40, time: 0, msg: 'queue is long', jobs: 12, name: 'a b' });
  expect(readableLine(line, false)).toBe('00:00:00 WARN  queue is long jobs=12 name="a b"\n');
});
