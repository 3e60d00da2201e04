import type { FileStamp } from '../../dataset/file-stamp.ts';
import type { FileHeader } from '../../dataset/header.ts';
import type { FillJob } from '../../dataset/plan.ts';
import { Threads, type ThreadsOptions } from '../../threads/threads.ts';
import type { ReaderRequest } from './reader-messages.ts';

/** Threads that read files. */
export class Readers {
  readonly #threads: Threads<ReaderRequest, FileHeader | undefined>;

  constructor(limit: number, options: ThreadsOptions = {}) {
    this.#threads = new Threads(new URL('./reader.ts', import.meta.url), limit, options);
  }

  async inspect(file: FileStamp): Promise<FileHeader> {
    const [header] = await this.#threads.run([{ kind: 'inspect', file }]);
    return header as FileHeader;
  }

  /** Fills pieces of a field. */
  async fill(jobs: readonly FillJob[], signal: AbortSignal | undefined): Promise<void> {
    await this.#threads.run(
      jobs.map((job) => ({ kind: 'fill', job }) as const),
      signal,
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
