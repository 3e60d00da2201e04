import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Something to write: whole, or as it comes. */
interface Result {
  open(range: undefined): Promise<Buffer | Readable>;
}

/**
 * Writes a result to a file, which is there whole or not at all, or with `-` to standard output. Bytes that a terminal
 * cannot show are refused there; `name` is the file that is then proposed.
 */
export async function writeResult(output: string, result: Result, name: string): Promise<void> {
  const body = await result.open(undefined);
  const source = Buffer.isBuffer(body) ? Readable.from([body]) : body;
  if (output === '-') {
    if (process.stdout.isTTY && /\.(nc|parquet)$/.test(name)) await refuse(name);
    await pipeline(source, process.stdout, { end: false });
    return;
  }
  const part = `${output}.${process.pid}.part`;
  try {
    await pipeline(source, createWriteStream(part));
    await rename(part, output);
  } catch (error) {
    const { ContrailsError } = await import('@contrails/service/errors');
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ContrailsError(`${output} cannot be written (${reason}); check the directory and the disk`, {
      cause: error,
    });
  } finally {
    await rm(part, { force: true });
  }
}

async function refuse(name: string): Promise<never> {
  const { UsageError } = await import('@contrails/service/errors');
  throw new UsageError(
    `a terminal cannot show this file; give -o ${name}, or send standard output elsewhere`,
  );
}
