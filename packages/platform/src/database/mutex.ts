/** Lets one piece of asynchronous work run at a time, in the order of asking. */
export interface Mutex {
  exclusive<T>(work: () => T | Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let held = false;
  return {
    async exclusive(work) {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      held = true;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else held = false;
      }
    },
  };
}
