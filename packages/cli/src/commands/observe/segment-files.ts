/** Files of L2 segments, as `observe segments --json` prints and the L2 endpoint returns them. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Segment } from '@contrails/observations/segments';

/** A list of records that have these members as text; `where` names the flag or argument in errors. */
export async function readSegmentList<Name extends keyof Segment & string>(
  where: string,
  path: string,
  members: readonly Name[],
): Promise<Pick<Segment, Name>[]> {
  const { UsageError } = await import('@contrails/runtime/errors');
  let list: unknown;
  try {
    list = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`${where}: ${path} cannot be read as JSON; give a list of L2 segments`, { cause });
  }
  const isSegment = (item: unknown): item is Pick<Segment, Name> =>
    typeof item === 'object' &&
    item !== null &&
    members.every((name) => typeof (item as Record<string, unknown>)[name] === 'string');
  if (Array.isArray(list) && list.every(isSegment)) return list;
  throw new UsageError(
    `${where}: ${path} is not a list of L2 segments with ${members.join(', ')}; give the output of "contrails observe segments --json"`,
  );
}

/** The segments of one frame. */
export interface SegmentFile {
  readonly satellite: string;
  readonly timeMs: number;
  readonly segments: readonly Segment[];
}

const MEMBERS = ['id', 'time', 'scan_time', 'satellite', 'crs', 'wkt'] as const;
/** `goes-east_L2_20240307T1500Z.json` */
const NAME = /^(.+)_L2_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z\.json$/;

/** Files of frames in order of time. A frame without segments is known by the name of its file. */
export async function readSegmentFiles(where: string, paths: readonly string[]): Promise<SegmentFile[]> {
  const { UsageError } = await import('@contrails/runtime/errors');
  const frames = new Map<number, SegmentFile>();
  const add = (path: string, frame: SegmentFile) => {
    if (Number.isNaN(frame.timeMs)) {
      throw new UsageError(`${where}: ${path} has a segment without a readable time; give L2 segments`);
    }
    if (frames.has(frame.timeMs)) {
      throw new UsageError(
        `${where}: the frame of ${new Date(frame.timeMs).toISOString()} is in ${path} and in a file before; give it once`,
      );
    }
    frames.set(frame.timeMs, frame);
  };
  for (const path of paths) {
    const segments = (await readSegmentList(where, path, MEMBERS)) as Segment[];
    for (const [time, ofFrame] of Map.groupBy(segments, (segment) => segment.time)) {
      add(path, { satellite: ofFrame[0]?.satellite ?? '', timeMs: Date.parse(time), segments: ofFrame });
    }
    if (segments.length > 0) continue;
    const [, satellite = '', year, month, day, hour, minute] = NAME.exec(basename(path)) ?? [];
    const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`);
    if (satellite === '' || Number.isNaN(timeMs)) {
      throw new UsageError(
        `${where}: ${path} has no segments, so its frame is not known; name it like goes-east_L2_20240307T1500Z.json, or leave it out`,
      );
    }
    add(path, { satellite, timeMs, segments: [] });
  }
  const ordered = [...frames.values()].sort((a, b) => a.timeMs - b.timeMs);
  const other = ordered.find(({ satellite }) => satellite !== ordered[0]?.satellite);
  if (other === undefined) return ordered;
  throw new UsageError(
    `${where}: segments of ${ordered[0]?.satellite} and ${other.satellite} are mixed; give those of one satellite`,
  );
}
