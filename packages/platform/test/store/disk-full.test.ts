import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { UnavailableError } from '@contrails/runtime/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountSmallDisk, NO_SMALL_DISK, unmount } from '../../../../test/support/small-disk.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { sha256 } from './store.contract.ts';

const DISK_BYTES = 1024 * 1024;
const disk = await mountSmallDisk(DISK_BYTES);

describe.skipIf(disk === undefined)(
  `a store on a disk that is full${disk === undefined ? ` ${NO_SMALL_DISK}` : ''}`,
  () => {
    const root = disk ?? '';
    let store: Store;
    const kept = randomBytes(300_000);

    beforeAll(async () => {
      store = await openStore({ kind: 'directory', path: root });
      await store.put('kept', kept);
    });
    afterAll(async () => {
      await store.close();
      unmount(root);
    });

    const expectKept = async () => {
      const found = await store.read('kept');
      expect(found?.info).toMatchObject({ size: kept.length, sha256: sha256(kept) });
      expect(found && (await buffer(found.body)).equals(kept)).toBe(true);
    };

    test.each([
      ['bytes', () => randomBytes(DISK_BYTES)],
      ['a stream', () => Readable.from([randomBytes(600_000), randomBytes(600_000)])],
    ])('%s that do not fit are refused with the remedy; nothing is torn or left behind', async (_, body) => {
      const putting = store.put('kept', body());
      await expect(putting).rejects.toThrow(UnavailableError);
      await expect(putting).rejects.toThrow(/disk is full; free some space/);
      await expectKept();
      expect(await readdir(join(root, '.store', 'tmp'))).toEqual([]);
    });

    test('with no byte left it is not ready, but reads and removes; then it stores again', async () => {
      await fill(store);
      await expect(store.ping()).rejects.toThrow(UnavailableError);
      await expect(store.replace('manifest', randomBytes(5_000), null)).rejects.toThrow(UnavailableError);
      await expectKept();
      for await (const { key } of store.list('fill/')) expect(await store.remove(key)).toBe(true);
      await store.ping();
      await store.put('after', randomBytes(100_000));
      await expectKept();
    });
  },
);

/** Puts ever smaller objects until not even one byte can be stored. */
async function fill(store: Store): Promise<void> {
  for (let size = DISK_BYTES, n = 0; size >= 1; n += 1) {
    try {
      await store.put(`fill/${n}`, randomBytes(size));
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      size = Math.floor(size / 2);
    }
  }
}
