import { spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { createProgram } from '../src/program.ts';
import { contrails, PROGRAM, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

function paths(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((child) => paths(child, [...path, child.name()]))];
}
const everyCommand = paths(await createProgram()).map((path) => [path.join(' ') || '(none)', path] as const);
const listings = [['met', 'list'], ['keys', 'list'], ['keys', 'usage'], ['jobs', 'list'], ['doctor']];

/** What the program prints for a command line, without starting a process. */
async function printed(args: readonly string[]): Promise<{ code: number; stdout: string }> {
  let stdout = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  try {
    await (await createProgram()).parseAsync(args, { from: 'user' });
    return { code: 0, stdout };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { code: error.exitCode, stdout };
  } finally {
    write.mockRestore();
  }
}

describe('help', () => {
  test.each(everyCommand)('of %s shows an example and the common options', async (_, path) => {
    const { code, stdout } = await printed([...path, '--help']);
    expect(stdout).toMatch(
      new RegExp(`Examples?:\n( {2}\\$ .*\n)* {2}\\$ .*contrails.*${path.at(-1) ?? ''}`),
    );
    for (const option of ['--config <file>', '--data <dir>', '--verbose']) expect(stdout).toContain(option);
    expect(code).toBe(0);
  });

  test.each([[[]], [['keys', 'create']]])('is printed by the program: %s', async (path) => {
    const { code, stdout, stderr } = await start([...path, '--help']).ended;
    expect({ code, stdout }).toEqual(await printed([...path, '--help']));
    expect(stderr).toBe('');
  });
});

describe('exit code 2 and one sentence with a remedy', () => {
  test.each([
    [
      'an unknown command',
      ['serv'],
      /^contrails: unknown command 'serv'; did you mean serve\? \(see contrails --help\)\n$/,
    ],
    ['an unknown option', ['jobs', 'list', '--stat'], /unknown option '--stat'; did you mean --state\?/],
    [
      'a missing option',
      ['keys', 'create'],
      /required option '--name <name>' not specified \(see contrails keys create --help\)/,
    ],
    ['a value out of range', ['jobs', 'list', '--limit', '0'], /invalid; give an integer from 1 to 100000/],
    ['a wrong choice', ['jobs', 'list', '--state', 'x'], /allowed choices are waiting, queued/],
    ['a wrong scope', ['keys', 'create', '--name', 'n', '--scopes', 'x'], /choose from research, forecast/],
    [
      'a wrong time',
      ['keys', 'create', '--name', 'n', '--expires', 'soon'],
      /--expires soon is not a time; write/,
    ],
    ['no id', ['keys', 'revoke', 'x/../y'], /not the id of a key; "contrails keys list" shows them/],
    ['nothing to retry', ['jobs', 'retry'], /name the jobs to retry, or give --all-failed/],
    ['a wrong port', ['serve', '--port', 'http'], /--port is "http"; allowed: an integer from 0 to 65535/],
    [
      'a missing file',
      ['serve', '--config', 'no.yaml'],
      /no\.yaml cannot be read \(ENOENT\); check the path/,
    ],
  ])('are given for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await contrails([...args], { cwd: temporaryDirectory() });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('a group without a command prints its help to standard error', async () => {
    const { code, stdout, stderr } = await start(['keys']).ended;
    expect(stderr).toContain('Usage: contrails keys');
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('exit code 1 and one sentence', () => {
  test('are given for a key that does not exist', async () => {
    const { code, stderr } = await contrails(['keys', 'revoke', 'aaaaaaaa'], { cwd: temporaryDirectory() });
    expect(stderr).toMatch(/^contrails: there is no key aaaaaaaa; .*\n$/);
    expect(code).toBe(1);
  });

  test('are given for a job that does not exist', async () => {
    const { code, stderr } = await contrails(['jobs', 'show', 'nonsense'], { cwd: temporaryDirectory() });
    expect(stderr).toMatch(/^contrails: there is no job nonsense; .*\n$/);
    expect(code).toBe(1);
  });

  test('are given for a data directory that is a file', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'data'), '');
    const { code, stdout, stderr } = await contrails(['keys', 'list'], { cwd });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(join(cwd, 'data'));
    expect([code, stdout]).toEqual([1, '']);
  });

  test('come with the stack under --verbose', async () => {
    const { stderr } = await contrails(['keys', 'revoke', 'aaaaaaaa', '--verbose'], {
      cwd: temporaryDirectory(),
    });
    expect(stderr).toMatch(/^ {4}at async withKeys \(file:/m);
  });
});

describe('listings', () => {
  test.each(listings)('%s %s prints JSON with --json and nothing else', async (...args) => {
    const { code, stdout, stderr } = await contrails([...args, '--json'], { cwd: temporaryDirectory() });
    expect(Array.isArray(JSON.parse(stdout))).toBe(true);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('an empty listing is reported on standard error', async () => {
    const { stdout, stderr } = await contrails(['keys', 'list'], { cwd: temporaryDirectory() });
    expect([stdout, stderr]).toEqual(['', 'no keys; make one with: contrails keys create --name NAME\n']);
  });

  test('a reader that goes away causes no error', async () => {
    const data = temporaryDirectory();
    const child = spawn(process.execPath, [PROGRAM, 'keys', 'create', '--name', 'n', '--data', data]);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(stderr).not.toContain('EPIPE');
    expect(code).toBe(0);
  });
});

describe('the common options', () => {
  test('stand before or after the command', async () => {
    const data = temporaryDirectory();
    await contrails(['--data', data, 'keys', 'create', '--name', 'first']);
    await contrails(['keys', 'create', '--name', 'second', '--data', data]);
    const { stdout } = await contrails(['keys', '--data', data, 'list', '--json']);
    expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toEqual(['first', 'second']);
  });

  test('default to ./data and contrails.yaml in the working directory', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'contrails.yaml'), 'data: elsewhere\n');
    const { stdout } = await contrails(['doctor', '--json'], { cwd });
    expect(stdout).toContain(join(cwd, 'elsewhere'));
    expect(stdout).toContain(join(cwd, 'contrails.yaml'));
  });
});

describe('the start file', () => {
  test('answers --version through a link, as npm makes them', async () => {
    const directory = temporaryDirectory();
    symlinkSync(PROGRAM, join(directory, 'contrails'));
    const child = spawn(join(directory, 'contrails'), ['--version'], {
      env: { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` },
    });
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
