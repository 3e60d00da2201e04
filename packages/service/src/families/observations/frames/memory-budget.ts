/** Lets work that needs much memory wait until what others use leaves enough; in the order in which it comes. */
export interface MemoryBudget {
  /** Runs the work when `bytes` fit into `limit` with what is under way, or when nothing is. */
  use<T>(bytes: number, limit: number, work: () => Promise<T>): Promise<T>;
}

export function createMemoryBudget(): MemoryBudget {
  let used = 0;
  let running = 0;
  const waiting: { readonly fits: () => boolean; readonly start: () => void }[] = [];
  const startWaiting = () => {
    while (waiting[0]?.fits()) waiting.shift()?.start();
  };
  return {
    async use(bytes, limit, work) {
      const fits = () => running === 0 || used + bytes <= limit;
      const take = () => {
        used += bytes;
        running++;
      };
      if (waiting.length === 0 && fits()) take();
      else {
        await new Promise<void>((resolve) => {
          waiting.push({
            fits,
            start: () => {
              take();
              resolve();
            },
          });
        });
      }
      try {
        return await work();
      } finally {
        used -= bytes;
        running--;
        startWaiting();
      }
    },
  };
}
