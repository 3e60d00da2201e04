/** Lets a loop sleep until it is woken or its time is up; a wake-up while nothing waits is not lost. */
export interface WakeSignal {
  wake(): void;
  wait(ms: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let isWoken = false;
  let endSleep: (() => void) | undefined;
  return {
    wake() {
      isWoken = true;
      endSleep?.();
    },
    async wait(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
          endSleep = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      endSleep = undefined;
      isWoken = false;
    },
  };
}
