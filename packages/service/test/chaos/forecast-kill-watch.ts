import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../support/client.ts';

const TYPES = ['B738', 'A320'];

export interface Watch {
  /** What was listed has been asked for. */
  hasLooked(): boolean;
  /** Where the list was not true. */
  end(): Promise<{ readonly looks: number; readonly broken: readonly string[] }>;
}

/** Asks a server again and again for what it lists as available. */
export function watchAvailability(address: string, key: string): Watch {
  const client = createClient(address, key);
  const broken: string[] = [];
  let looks = 0;
  let isWatching = true;
  const look = async () => {
    const available = await client.get('/v0/grid/availability');
    // While the bucket or the database is away, the server may say so.
    if (available.status !== 200) {
      if (available.status !== 503) broken.push(`availability was answered ${available.status}`);
      return;
    }
    for (const hour of new Set(available.json<{ cocip: string[] }>().cocip)) {
      for (const type of TYPES) {
        looks += 1;
        const url = `/v0/grid/cocip?aircraft_type=${type}&time=${hour}`;
        const { status } = await client.get(url);
        if (status !== 200 && status !== 503) broken.push(`${url} was answered ${status}`);
      }
    }
  };
  const watching = (async () => {
    for (; isWatching; await sleep(500)) await look();
  })();
  // The end of the watch is where a failure is met.
  watching.catch(() => undefined);
  return {
    hasLooked: () => looks > 0,
    async end() {
      isWatching = false;
      await watching;
      return { looks, broken };
    },
  };
}
