import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readableLine } from '../src/log.ts';

/** Runs some statements with a logger in a separate process and returns what came out. */
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

test('what an error and its cause both say is logged once', () => {
  const { lines } = logged(
    { level: 'info', format: 'json' },
    `const cause = new Error('the disk is full', { cause: new Error('ENOSPC') });
     log.warn({ err: new Error('the disk is full', { cause }) }, 'refused');
     log.warn({ err: new Error('nothing was stored', { cause }) }, 'refused');`,
  );
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
    'the disk is full: ENOSPC',
    'nothing was stored: the disk is full: ENOSPC',
  ]);
});

test('a full disk loses lines and does not end the process', () => {
  const code = `
    import { openSync } from 'node:fs';
    import { gatheredLines } from '${new URL('../src/log-lines.ts', import.meta.url)}';
    const lines = gatheredLines(openSync('/dev/full', 'w'));
    lines.write('lost\\n');
    setTimeout(() => console.log('alive'), 200);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'alive\n', stderr: '' });
});

test('readable lines have time, severity, message and facts on one line', () => {
  const line = JSON.stringify({
    level: 40,
    time: '2026-01-31T12:34:56.789Z',
    msg: 'queue is long',
    jobs: 12,
    name: 'a b',
  });
  expect(readableLine(line, false)).toBe('2026-01-31T12:34:56Z WARN  queue is long jobs=12 name="a b"\n');
});

test('times are ISO 8601', () => {
  const { lines } = logged({ level: 'info', format: 'json' }, `log.info('now');`);
  expect(JSON.parse(lines[0] ?? '').time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test.each([
  ['info', false],
  ['debug', true],
])('at level %s an expected outage has a stack: %s; a fault of the program always has', (level, has) => {
  const errors = new URL('../../runtime/src/errors.ts', import.meta.url);
  const { lines } = logged(
    { level, format: 'json' },
    `const { UnavailableError } = await import('${errors}');
     log.warn({ err: new UnavailableError('the database is away') }, 'cannot take jobs');
     log.error({ err: new TypeError('x is not a function') }, 'request failed');`,
  );
  const [outage, bug] = lines.map((line) => JSON.parse(line).err);
  expect(outage).toMatchObject({ type: 'UnavailableError', message: 'the database is away' });
  expect(['stack' in outage, 'stack' in bug]).toEqual([has, true]);
});
