import { RemoteFailure, SyncError } from '../sync/failures.ts';
import { fetchPieces } from '../sync/fetch-pieces.ts';
import type { Piece, PlannedFile, RunsOnRoot } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';
import { checkMessage, checkValues, type VariablesOf } from './grib-message.ts';

/** A remote GRIB file with an index beside it. */
export interface IndexedFile {
  /** Of the local file. */
  readonly name: string;
  readonly path: string;
  readonly index: string;
}

export interface IndexedArchive {
  readonly variablesOf: VariablesOf;
  /** What the lines of an index end with: where the last one does not, the rest was cut off. */
  readonly lineEnd: string;
  /** The files of a step; where there are several arrangements, all of them, the likeliest first. */
  filesOf(runMs: number, step: number): readonly (readonly IndexedFile[])[];
  /** The wanted messages by the index of a file, whose last message reaches to its end. */
  read(index: string, file: IndexedFile, step: number, fileBytes: number): Piece[];
  /** Temperature and humidity on all levels, without which nothing works. */
  readonly needs: {
    readonly source: string;
    readonly params: readonly string[];
    readonly levels: readonly number[];
  };
}

/** Parameters whose values are checked. */
const LOOKED_AT = ['t', 'TMP', 'q', 'SPFH'];

/** Runs of an archive of GRIB files with an index each, of which only the wanted messages are fetched. */
export function indexedRuns(remote: Remote, archive: IndexedArchive): RunsOnRoot {
  /** Which arrangement a run has. */
  const arrangements = new Map<number, number>();

  const arranged = async <T>(
    runMs: number,
    step: number,
    look: (files: readonly IndexedFile[]) => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const all = archive.filesOf(runMs, step);
    const known = arrangements.get(runMs);
    for (const [k, files] of all.entries()) {
      if (known !== undefined && k !== known) continue;
      const found = await look(files);
      if (found === undefined) continue;
      arrangements.set(runMs, k);
      return found;
    }
    return undefined;
  };

  return {
    async hasStep(runMs, step) {
      const found = await arranged(runMs, step, async (files) => {
        for (const { path, index } of files) {
          if ((await remote.head(index)) === undefined || (await remote.head(path)) === undefined)
            return undefined;
        }
        return true;
      });
      return found === true;
    },

    async planStep(runMs, step) {
      const planned = await arranged(runMs, step, async (files) => {
        const all: PlannedFile[] = [];
        for (const file of files) {
          const plan = await remote.tried(file.index, () => planFile(remote, archive, file, step));
          if (plan === undefined) return undefined;
          if (plan.pieces.length > 0) all.push(plan);
        }
        return all;
      });
      if (planned !== undefined)
        requireLevels(
          planned.flatMap(({ pieces }) => pieces),
          archive.needs,
          step,
        );
      return planned;
    },

    fetch(runMs, file, tools) {
      const looked = lookedAt(file.pieces);
      const check = async (bytes: Uint8Array, piece: Piece) => {
        await checkMessage(bytes, piece, runMs, archive.variablesOf, file.path);
        if (looked.has(piece)) await checkValues(bytes, `${piece.param} ${piece.level} hPa`, piece.param);
      };
      return fetchPieces(remote, file, check, tools);
    },
  };
}

async function planFile(
  remote: Remote,
  archive: IndexedArchive,
  file: IndexedFile,
  step: number,
): Promise<PlannedFile | undefined> {
  const index = await readIndex(remote, file.index, archive.lineEnd);
  if (index === undefined) return undefined;
  const found = await remote.head(file.path);
  if (found === undefined) return undefined;
  const pieces = piecesIn(index.text, archive, file, step, found.size);
  // The index may be older or newer than its file, while they are written.
  if (pieces.some(({ offset, length }) => length < 1 || offset + length > found.size)) return undefined;
  return {
    name: file.name,
    step,
    path: file.path,
    etag: found.etag,
    indexEtag: index.etag,
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    pieces,
  };
}

function piecesIn(
  index: string,
  archive: IndexedArchive,
  file: IndexedFile,
  step: number,
  fileBytes: number,
): Piece[] {
  try {
    return archive.read(index, file, step, fileBytes).sort((one, other) => one.offset - other.offset);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new RemoteFailure('transient', `${file.index} is damaged`, 'sent a damaged index', { cause });
  }
}

async function readIndex(
  remote: Remote,
  path: string,
  lineEnd: string,
): Promise<Awaited<ReturnType<Remote['text']>>> {
  const index = await remote.text(path);
  if (index === undefined || index.text.trimEnd().endsWith(lineEnd)) return index;
  throw new RemoteFailure('transient', `${path} is cut off`, 'sent part of an index');
}

/** The middle one of the levels of each parameter that is checked. */
function lookedAt(pieces: readonly Piece[]): ReadonlySet<Piece> {
  return new Set(
    LOOKED_AT.flatMap((param) => {
      const all = pieces.filter((piece) => piece.param === param && piece.level !== null);
      const middle = all[all.length >> 1];
      return middle === undefined ? [] : [middle];
    }),
  );
}

function requireLevels(
  pieces: readonly Piece[],
  { source, params, levels }: IndexedArchive['needs'],
  step: number,
): void {
  for (const param of params) {
    const held = new Set(
      pieces.filter((piece) => piece.param.split('+').includes(param)).map(({ level }) => level),
    );
    const lacks = levels.filter((level) => !held.has(level));
    if (lacks.length === 0) continue;
    throw new SyncError(
      `step ${step} h of ${source} has no ${param} at ${lacks.join(', ')} hPa`,
      `choose --levels of ${[...held].join(', ') || 'another source'}`,
    );
  }
}
