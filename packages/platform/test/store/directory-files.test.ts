import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ConflictError, UnavailableError, UsageError } from '@contrails/runtime/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { sha256 } from './store.contract.ts';

let root: string;
let outside: string;
let store: Store;
const open: Store[] = [];

beforeEach(async () => {
  const directory = await temporaryDirectory();
  root = join(directory, 'root');
  outside = join(directory, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  store = await reopen();
});
afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
});

async function reopen(): Promise<Store> {
  const opened = await openStore({ kind: 'directory', path: root });
  open.push(opened);
  return opened;
}
async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list('')) found.push(key);
  return found;
}
const temporaryFiles = () => readdir(join(root, '.store', 'tmp'));

describe('the files of a store', () => {
  test('an object is a plain file under its key', async () => {
    await store.put('forecast/FL350.nc', Buffer.from('bytes'));
    expect(await readFile(join(root, 'forecast', 'FL350.nc'), 'utf8')).toBe('bytes');
  });

  test('what is not a key is not an object', async () => {
    await writeFile(join(root, '.hidden'), 'x');
    await writeFile(join(root, 'ends with blank '), 'x');
    await mkdir(join(root, 'lost+found'));
    await writeFile(join(root, 'lost+found', 'x'), 'x');
    await writeFile(join(root, 'object'), 'x');
    expect(await keys()).toEqual(['object']);
  });

  test('directories go with their last object', async () => {
    await store.put('a/b/c/one', Buffer.from('1'));
    await store.put('a/two', Buffer.from('2'));
    await store.remove('a/b/c/one');
    expect(await readdir(join(root, 'a'))).toEqual(['two']);
    await store.remove('a/two');
    expect(await readdir(root)).toEqual(['.store']);
  });

  test('a refused replace leaves no directories behind', async () => {
    await expect(
      store.replace('new/directory/x', Buffer.from('x'), sha256(Buffer.from('y'))),
    ).rejects.toThrow(ConflictError);
    expect(await readdir(root)).toEqual(['.store']);
  });

  test('a key below an object is a conflict, and so is an object in place of a directory', async () => {
    await store.put('a/b', Buffer.from('object'));
    await expect(store.put('a/b/c', Buffer.from('x'))).rejects.toThrow(ConflictError);
    await expect(store.put('a', Buffer.from('x'))).rejects.toThrow(ConflictError);
    expect(await store.head('a/b/c')).toBeUndefined();
    expect(await store.head('a')).toBeUndefined();
    expect(await store.remove('a/b/c')).toBe(false);
    expect(await keys()).toEqual(['a/b']);
  });

  test('a directory that a crash left empty gives way to an object', async () => {
    await mkdir(join(root, 'left'));
    await store.put('left', Buffer.from('x'));
    expect(await keys()).toEqual(['left']);
  });

  test('a path that is a file is wrong usage', async () => {
    const path = join(outside, 'secret');
    await expect(openStore({ kind: 'directory', path })).rejects.toThrow(UsageError);
    await expect(openStore({ kind: 'directory', path: join(path, 'below') })).rejects.toThrow(UsageError);
  });

  test('a root that is gone is unavailable and is not made again', async () => {
    await rename(root, `${root}-away`);
    await expect(store.put('a', Buffer.from('x'))).rejects.toThrow(/a part of it is gone/);
    await expect(store.ping()).rejects.toThrow(UnavailableError);
    await expect(stat(root)).rejects.toThrow('ENOENT');
  });
});

describe('symbolic links', () => {
  test('a link to a file is not an object', async () => {
    await symlink(join(outside, 'secret'), join(root, 'link'));
    expect(await store.head('link')).toBeUndefined();
    expect(await store.read('link')).toBeUndefined();
    expect(await store.remove('link')).toBe(false);
    expect(await keys()).toEqual([]);
  });

  test('a put in place of a link leaves what it points to alone', async () => {
    await symlink(join(outside, 'secret'), join(root, 'link'));
    await store.put('link', Buffer.from('ours'));
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(await readFile(join(root, 'link'), 'utf8')).toBe('ours');
  });

  test('a link to a directory leads nowhere', async () => {
    await symlink(outside, join(root, 'link'));
    expect(await store.head('link/secret')).toBeUndefined();
    expect(await store.read('link/secret')).toBeUndefined();
    expect(await store.remove('link/secret')).toBe(false);
    expect(await keys()).toEqual([]);
    for await (const item of store.list('link/')) expect.fail(item.key);
    await expect(store.put('link/new', Buffer.from('x'))).rejects.toThrow(/follows no symbolic links/);
    await expect(store.put('link/sub/new', Buffer.from('x'))).rejects.toThrow(UnavailableError);
    expect(await readdir(outside)).toEqual(['secret']);
  });

  test('a root reached through a link is fine', async () => {
    await symlink(root, join(outside, 'root'));
    const linked = await openStore({ kind: 'directory', path: join(outside, 'root') });
    open.push(linked);
    await linked.put('a/b', Buffer.from('x'));
    expect((await store.head('a/b'))?.size).toBe(1);
  });

  test('a pipe is not an object and does not block', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await store.read('pipe')).toBeUndefined();
    expect(await keys()).toEqual([]);
  });
});

describe('the hash of a file', () => {
  test('is computed again when the index was lost', async () => {
    await store.put('a', Buffer.from('bytes'));
    await store.close();
    open.length = 0;
    for (const file of await readdir(join(root, '.store'))) {
      if (file.startsWith('index')) await rm(join(root, '.store', file));
    }
    store = await reopen();
    expect((await store.head('a'))?.sha256).toBe(sha256(Buffer.from('bytes')));
  });

  test('follows every change that is made by hand', async () => {
    const path = join(root, 'a');
    const content = async () => ({ info: await store.head('a'), bytes: await readFile(path) });
    await store.put('a', Buffer.from('first'));
    const changes = [
      () => appendFile(path, ' and more'),
      () => truncate(path, 3),
      () => utimes(path, 1, 1),
      () => writeFile(path, 'all new'),
    ];
    for (const change of changes) {
      await change();
      const { info, bytes } = await content();
      expect(info).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
    }
  });

  test('of bytes that keep size and time is found out, too', async () => {
    const path = join(root, 'a');
    await store.put('a', Buffer.from('ours'));
    const { atime, mtime } = await stat(path);
    await writeFile(`${path}~`, 'hers');
    await utimes(`${path}~`, atime, mtime);
    await rename(`${path}~`, path);
    expect((await store.head('a'))?.sha256).toBe(sha256(Buffer.from('hers')));
  });

  test('is right for a file that is open while it is replaced', async () => {
    await store.put('a', Buffer.from('old bytes'));
    const old = await store.read('a');
    await store.put('a', Buffer.from('new'));
    expect((await buffer(old?.body ?? Readable.from([]))).toString()).toBe('old bytes');
    expect(old?.info.sha256).toBe(sha256(Buffer.from('old bytes')));
  });

  test('an index that is damaged stops the start with the remedy', async () => {
    await store.close();
    open.length = 0;
    await writeFile(join(root, '.store', 'index.sqlite'), randomBytes(8192));
    await expect(reopen()).rejects.toThrow(/index\.sqlite cannot be used .* delete it: it is rebuilt/);
  });
});

describe('files being written', () => {
  test('are gone after a put, a failed put and a refused replace', async () => {
    await store.put('a', Buffer.from('x'));
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('source');
      })(),
    );
    await expect(store.put('a', failing)).rejects.toThrow('source');
    await expect(store.replace('a', Buffer.from('y'), null)).rejects.toThrow(ConflictError);
    await store.ping();
    expect(await temporaryFiles()).toEqual([]);
  });

  test('of a process that was killed are swept at the next start, those of a living one stay', async () => {
    const writer = runProgram(new URL('./programs/endless-put.ts', import.meta.url), [root]);
    await writer.firstLine;
    await reopen();
    expect(await temporaryFiles()).toHaveLength(1);
    await writer.kill();
    await reopen();
    expect(await temporaryFiles()).toEqual([]);
    expect(await keys()).toEqual([]);
  });

  test('of another machine are swept when they were not written for an hour', async () => {
    const path = (name: string) => join(root, '.store', 'tmp', name);
    await writeFile(path('othermachine-1-young'), 'x');
    await writeFile(path('othermachine-1-old'), 'x');
    await utimes(path('othermachine-1-old'), Date.now() / 1000, Date.now() / 1000 - 3700);
    await reopen();
    expect(await temporaryFiles()).toEqual(['othermachine-1-young']);
  });
});

describe('the lock', () => {
  test('of another process is waited for without holding up this one', async () => {
    const holder = runProgram(new URL('./programs/hold-lock.ts', import.meta.url), [root]);
    await holder.firstLine;
    let settled = false;
    const putting = store.put('a', Buffer.from('x')).finally(() => {
      settled = true;
    });
    await store.head('nothing');
    expect(settled).toBe(false);
    await holder.kill();
    await putting;
    expect(await keys()).toEqual(['a']);
  });

  test('of another process does not stop readers', async () => {
    await store.put('a', Buffer.from('x'));
    const holder = runProgram(new URL('./programs/hold-lock.ts', import.meta.url), [root]);
    await holder.firstLine;
    expect((await store.head('a'))?.size).toBe(1);
    await holder.kill();
  });
});
