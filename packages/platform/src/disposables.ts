import type { Log } from './log.ts';

/** Things to close in the reverse order of their opening, even if closing the others fails. */
export interface Disposables {
  add(name: string, close: () => Promise<void>): void;
  close(): Promise<void>;
}

export function createDisposables(log: Log): Disposables {
  const open: { name: string; close: () => Promise<void> }[] = [];
  return {
    add(name, close) {
      open.push({ name, close });
    },
    async close() {
      for (let last = open.pop(); last !== undefined; last = open.pop()) {
        try {
          await last.close();
        } catch (error) {
          log.warn({ err: error }, `${last.name} did not close properly`);
        }
      }
    },
  };
}
