import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RemoteFailure } from '../sync/failures.ts';
import type { FetchTools, PlannedFile, RemotePart, RunsOnRoot } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';
import { convert, type LazyFile } from './conversion.ts';
import type { ConversionJob } from './conversion-thread.ts';
import { fetchWhole } from './fetch-whole.ts';
import { BLOCK } from './lazy-reads.ts';

/** An archive whose files are not kept as they are. */
export interface ConvertedArchive extends Pick<RunsOnRoot, 'hasStep' | 'planStep'> {
  /** What makes a planned file of its parts. */
  jobOf(
    runMs: number,
    file: PlannedFile,
    local: (part: RemotePart) => string,
    output: string,
  ): ConversionJob | Promise<ConversionJob>;
  /** Only part of the bytes is needed: files are read by ranges where the server has them. */
  readonly isLazy: boolean;
}

/** About what is read of files of which a share is needed, where the server has ranges: at least a block of each [bytes]. */
export function bytesRead(
  { hasRanges }: Pick<Remote, 'hasRanges'>,
  parts: readonly RemotePart[],
  share: number,
): number {
  const ofPart = ({ bytes }: RemotePart) =>
    hasRanges ? Math.min(bytes, Math.max(BLOCK, Math.round(share * bytes))) : bytes;
  return parts.reduce((sum, part) => sum + ofPart(part), 0);
}

export function convertedRuns(remote: Remote, archive: ConvertedArchive): RunsOnRoot {
  return {
    hasStep: archive.hasStep,
    planStep: archive.planStep,
    async fetch(runMs, file, tools) {
      const scratch = `${tools.part}.parts`;
      const parts = file.parts ?? [];
      const local = (part: RemotePart) => join(scratch, String(parts.indexOf(part)));
      const job = await archive.jobOf(runMs, file, local, tools.part);
      const clear = () => rm(scratch, { recursive: true, force: true });
      // What was read in blocks before has gaps; whole parts are kept.
      if (archive.isLazy) await clear();
      for (let attempt = 1; ; attempt++) {
        await mkdir(scratch, { recursive: true });
        try {
          await fetchAndConvert(remote, archive.isLazy, job, parts, local, tools);
          break;
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          // The part at fault is unknown.
          if (error.kind === 'damaged' || error.kind === 'no-ranges') await clear();
          if (error.kind === 'no-ranges') continue;
          if (error.kind !== 'damaged' || attempt > 1) throw error;
        }
      }
      await clear();
      return undefined;
    },
  };
}

async function fetchAndConvert(
  remote: Remote,
  isLazy: boolean,
  job: ConversionJob,
  parts: readonly RemotePart[],
  local: (part: RemotePart) => string,
  { onProgress, signal }: FetchTools,
): Promise<void> {
  let received = 0;
  const count = (bytes: number) => {
    received += bytes;
    onProgress(received);
  };
  if (isLazy && remote.hasRanges) {
    const lazy: LazyFile[] = [];
    for (const part of parts) lazy.push(await lazyFile(remote, part, local(part), count));
    await convert(job, lazy, signal);
    return;
  }
  for (const part of parts) {
    if (!existsSync(local(part))) await fetchWhole(remote, part, local(part));
    count(part.bytes);
  }
  await convert(job, [], signal);
}

async function lazyFile(
  remote: Remote,
  { path: remotePath, bytes, etag }: RemotePart,
  path: string,
  count: (bytes: number) => void,
): Promise<LazyFile> {
  const handle = await open(path, 'w');
  await handle.truncate(bytes);
  await handle.close();
  return {
    path,
    bytes,
    async fetch(first, last) {
      const block = await remote.range(remotePath, { first, last, etag });
      count(block.length);
      return block;
    },
  };
}
