import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Something to write: whole, or as it comes. */
interface Result {
  open(range: undefined): Promise<Buffer | Readable>;
}

/**
 * Writes a result to a file, which is there whole or not at all, or with `-` to standard output. Bytes that a terminal
 * cannot show are refused there; `name` is the file that is then proposed. What came of a result that `keepsFinished`
 * before it broke off is kept beside the file.
 */
export async function writeResult(
  output: string,
  result: Result,
  name: string,
  { keepsFinished = false }: { readonly keepsFinished?: boolean } = {},
): Promise<void> {
  const body = await result.open(undefined);
  const source = Buffer.isBuffer(body) ? Readable.from([body]) : body;
  if (output === '-') {
    if (process.stdout.isTTY && /\.(nc|parquet|png)$/.test(name)) await refuse(name);
    await pipeline(source, process.stdout, { end: false }).catch(unlessClosed);
    return;
  }
  const part = `${output}.${process.pid}.part`;
  const removePart = () => rmSync(part, { force: true });
  process.once('exit', removePart);
  const watched = new Watched(source);
  try {
    await pipeline(watched.chunks(), createWriteStream(part));
    if (watched.failure === undefined) await rename(part, output);
    else if (keepsFinished && watched.count > 0) await rename(part, incomplete(output));
  } catch (error) {
    const { ContrailsError } = await import('@contrails/runtime/errors');
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ContrailsError(`${output} cannot be written (${reason}); check the directory and the disk`, {
      cause: error,
    });
  } finally {
    removePart();
    process.off('exit', removePart);
  }
  if (watched.failure === undefined) return;
  throw keepsFinished && watched.count > 0
    ? await withRemains(watched.failure.error, output)
    : watched.failure.error;
}

/** Separates errors of the source from errors of writing: ends where its source breaks off. */
class Watched {
  count = 0;
  failure: { readonly error: unknown } | undefined;
  private readonly source: AsyncIterable<unknown>;

  constructor(source: AsyncIterable<unknown>) {
    this.source = source;
  }

  async *chunks(): AsyncGenerator<unknown> {
    try {
      for await (const chunk of this.source) {
        yield chunk;
        this.count++;
      }
    } catch (error) {
      this.failure = { error };
    }
  }
}

function incomplete(output: string): string {
  return `${output}.incomplete`;
}

async function withRemains(error: unknown, output: string): Promise<unknown> {
  const { ContrailsError } = await import('@contrails/runtime/errors');
  if (!(error instanceof ContrailsError)) return error;
  return new ContrailsError(`${error.message}; what was finished before is in ${incomplete(output)}`, {
    cause: error,
  });
}

/** `contrails trajectory … | head` has read enough. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

async function refuse(name: string): Promise<never> {
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    `a terminal cannot show this file; give -o ${name}, or send standard output elsewhere`,
  );
}
