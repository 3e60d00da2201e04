import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from '@contrails/observations/frame';
import { fullDisk, windowOf } from '@contrails/observations/navigation';
import { encodeImagery } from '@contrails/testbed/sky';
import { afterAll, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import {
  CONTRAIL,
  frameAt,
  frames,
  SIZE,
  VALLEY,
} from '../../../../observations/test/support/drifting-lines.ts';
import { findFrame } from '../../../src/families/observations/frames/table.ts';
import { abiName } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const [second, first, now] = frames([-4, -4]);
const west = frameAt(0, [VALLEY, CONTRAIL], windowOf(fullDisk('goes-west'), 1200, 2300, SIZE, SIZE));
const trials: Trial[] = [];
afterAll(() => Promise.all(trials.map((trial) => trial.close())));

async function openFolder() {
  const folder = await temporaryDirectory();
  const source = (satellite: 'goes-east' | 'goes-west') =>
    ({ name: satellite, kind: 'folder', satellite, path: folder }) as const;
  const trial = await openTrial({
    observations: { sources: [source('goes-east'), source('goes-west')], attribution: false },
  });
  trials.push(trial);
  return {
    trial,
    /** Frames come in, and everything that they cause is done. */
    async deliver(...delivered: readonly Frame[]) {
      for (const frame of delivered) {
        const name = abiName(frame.time).replace('_G16_', frame === west ? '_G18_' : '_G16_');
        await writeFile(join(folder, name), await encodeImagery(frame));
      }
      // Files count as finished when they have not been written to for a while.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
      await trial.look().finally(() => vi.useRealTimers());
      await trial.work();
      await trial.work();
    },
    manifestOf: async ({ satellite, time }: Frame) =>
      (await findFrame(trial.services.database, satellite, time))?.manifest,
    countJobs: async () => (await trial.services.jobs.list({ kind: 'observations.frame' })).jobs.length,
  };
}

test('lines that stand still are left out when both earlier frames are there, in whichever order they come', async () => {
  const late = await openFolder();
  await late.deliver(now, first, west);
  const before = await late.manifestOf(now);
  expect(before).toMatchObject({ stationary: null, earlier: [{ used: false }] });
  await late.deliver(second);
  const after = await late.manifestOf(now);
  expect(after).toMatchObject({ stationary: 1, earlier: [{ used: true }, { used: true }] });
  expect(after?.earlier?.map(({ time }) => time)).toEqual(['2024-03-07T14:50:00Z', '2024-03-07T14:40:00Z']);
  expect(after?.l2?.segments).toBe((before?.l2?.segments ?? 0) - 1);
  // What depends on other frames has another name in the store.
  expect(after?.edition).not.toBe(before?.edition);
  expect(after?.l2?.key).toContain(after?.edition ?? 'none');

  // Frames of the other satellite at the same times are not its own.
  expect(await late.manifestOf(west)).toMatchObject({ stationary: null, earlier: [] });

  // Nothing is left to do, and the same frames in their order give the same products.
  const jobs = await late.countJobs();
  await late.deliver();
  expect(await late.countJobs()).toBe(jobs);
  const inOrder = await openFolder();
  await inOrder.deliver(second, first, now);
  const same = await inOrder.manifestOf(now);
  expect([same?.edition, same?.l2?.sha256]).toEqual([after?.edition, after?.l2?.sha256]);

  // An earlier frame that is replaced makes another edition of those after it.
  await inOrder.deliver({ ...second, t12: second.t12.map((kelvin) => kelvin + 0.5) });
  expect((await inOrder.manifestOf(now))?.edition).not.toBe(after?.edition);
});
