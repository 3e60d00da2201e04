import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileIndex } from '../../src/dataset/file-index.ts';

test('forgets files that vanish, and looks into them again when they come back', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-index-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [stays, goes, away] = ['stays.nc', 'goes.nc', 'goes.nc.away'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  writeFileSync(stays, 'one');
  writeFileSync(goes, 'two');
  const looks: string[] = [];
  const files = new FileIndex({ directory, paths: ['*.nc'], product: 'reanalysis' }, async ({ path }) => {
    looks.push(path);
    return { contents: { entries: [], unusable: [] }, identity: path };
  });
  await files.refresh();
  renameSync(goes, away);
  await files.refresh();
  renameSync(away, goes);
  await files.refresh();
  expect(looks).toEqual([goes, stays, goes]);
});
