import { withoutOtherParts } from '@contrails/flights';
import type { Queryable } from '@contrails/platform/database/database';
import { finishedFiles } from '@contrails/platform/feeds/finished-files';
import { ContrailsError, UnavailableError } from '@contrails/runtime/errors';
import { checkFormat, type FeedTurn } from '../../../telemetry-store/sources.ts';
import { importFile } from '../ingest/import.ts';

/**
 * Imports the finished files of a folder that were not imported as they are now. Files are never changed, moved or deleted:
 * the database knows which are done.
 */
export const readFolder: FeedTurn = async (services, rules, feed, signal) => {
  const { database } = services;
  const format = checkFormat(feed.format, `telemetry.sources.${feed.name}.format`);
  let failure: unknown;
  const files = await finishedFiles(feed.path, 'telemetry.sources');
  const forgetMs = Date.now() - rules.quarantineMs;
  await forgetMissing(database, feed.name, new Set(files.map(({ path }) => path)), forgetMs);
  const whole = new Set(
    await withoutOtherParts(files.map(({ path }) => path)).catch(() => files.map(({ path }) => path)),
  );
  for (const { path, signature } of files) {
    signal.throwIfAborted();
    if (!whole.has(path)) continue;
    if (await isDone(database, feed.name, path, signature)) continue;
    const note = (batch: string | null, error: string | null) =>
      noteFile(database, { source: feed.name, path, signature, batch, error });
    try {
      const { batch, truncated } = await importFile(services, rules, path, {
        source: feed.name,
        format,
        latenessMs: feed.latenessMs,
        isStrict: feed.isStrict,
      });
      await note(batch, truncated === null ? null : `${path} breaks off: ${truncated}`);
    } catch (error) {
      // What the store or the database cannot do now is tried again; a file that is not telemetry is not.
      if (error instanceof UnavailableError) throw error;
      if (error instanceof ContrailsError) await note(null, error.message);
      // One file that cannot be opened must not keep the others waiting.
      else failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
};

async function isDone(
  database: Queryable,
  source: string,
  path: string,
  signature: string,
): Promise<boolean> {
  const rows = await database.query(
    'SELECT path FROM telemetry_files WHERE source = $1 AND path = $2 AND signature = $3',
    [source, path, signature],
  );
  return rows.length > 0;
}

/** A file that is gone is of no concern if it could not be read, or was read long ago. */
async function forgetMissing(
  database: Queryable,
  source: string,
  present: ReadonlySet<string>,
  readBeforeMs: number,
): Promise<void> {
  const known = await database.query<{ path: string }>(
    'SELECT path FROM telemetry_files WHERE source = $1 AND (error IS NOT NULL OR read_ms < $2)',
    [source, readBeforeMs],
  );
  for (const { path } of known) {
    if (present.has(path)) continue;
    await database.execute('DELETE FROM telemetry_files WHERE source = $1 AND path = $2', [source, path]);
  }
}

interface FileNote {
  readonly source: string;
  readonly path: string;
  readonly signature: string;
  readonly batch: string | null;
  readonly error: string | null;
}

async function noteFile(
  database: Queryable,
  { source, path, signature, batch, error }: FileNote,
): Promise<void> {
  await database.execute(
    `INSERT INTO telemetry_files (source, path, signature, batch, error, read_ms) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (source, path) DO UPDATE SET signature = excluded.signature, batch = excluded.batch,
       error = excluded.error, read_ms = excluded.read_ms`,
    [source, path, signature, batch, error, Date.now()],
  );
}
