import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../support/client.ts';

const TYPES = ['B738', 'A320'];

/** Asks a server again and again for what it lists as available; returns where that was not true. */
export async function watchAvailability(
  address: string,
  key: string,
  end: AbortSignal,
): Promise<{ looks: number; broken: string[] }> {
  const client = createClient(address, key);
  const broken: string[] = [];
  let looks = 0;
  while (!end.aborted) {
    await sleep(500);
    const available = await client.get('/v0/grid/availability');
    // While the bucket or the database is away, the server may say so.
    if (available.status !== 200) {
      if (available.status !== 503) broken.push(`availability was answered ${available.status}`);
      continue;
    }
    for (const hour of new Set(available.json<{ cocip: string[] }>().cocip)) {
      for (const type of TYPES) {
        looks += 1;
        const url = `/v0/grid/cocip?aircraft_type=${type}&time=${hour}`;
        const { status } = await client.get(url);
        if (status !== 200 && status !== 503) broken.push(`${url} was answered ${status}`);
      }
    }
  }
  return { looks, broken };
}
