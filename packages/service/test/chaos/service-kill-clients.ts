import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { productBytes, sha256 } from '../support/trial/products.ts';

/** What the clients were told, and what they should never have been told. */
export interface Ledger {
  /** Products whose writing was acknowledged. */
  readonly products: Set<number>;
  /** Batches of jobs whose making was acknowledged. */
  readonly batches: Set<number>;
  /** Last step of each client that was acknowledged. */
  readonly steps: Map<string, number>;
  /** Requests sent, by what became of them. */
  readonly outcomes: Map<string, number>;
  readonly violations: string[];
}

export interface Clients {
  readonly ledger: Ledger;
  /** Resolves when so many more requests have been served, or when that takes too long to wait for. */
  served(more: number): Promise<void>;
  /** Lets every client finish what it is doing. */
  stop(): Promise<void>;
}

/** Nothing takes so long that is not lost. */
const BUSY_TIMEOUT_MS = 120_000;
const MAX_LULL_MS = 20_000;
const NUMBERS_PER_CLIENT = 1_000_000;
/** A client does nothing between two steps for up to this long: the processes that start need the machine as well. */
const MAX_REST_MS = 100;

/** Clients that write, read, count and make jobs through whichever server answers, and insist until they are served. */
export function startClients(count: number, addresses: readonly string[], key: string): Clients {
  const ledger: Ledger = {
    products: new Set(),
    batches: new Set(),
    steps: new Map(),
    outcomes: new Map(),
    violations: [],
  };
  const connections = addresses.map((address) => createClient(address, key));
  let stopping = false;
  const running = Array.from({ length: count }, async (_, id) => {
    for (let n = id * NUMBERS_PER_CLIENT; !stopping; n += 1) {
      await takeStep(ledger, connections, id, n);
      await sleep(Math.random() * MAX_REST_MS);
    }
  });
  return {
    ledger,
    async served(more) {
      const served = () => ledger.outcomes.get('served') ?? 0;
      const enough = served() + more;
      const deadlineMs = performance.now() + MAX_LULL_MS;
      while (served() < enough && performance.now() < deadlineMs) await sleep(5);
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

async function takeStep(ledger: Ledger, servers: readonly Client[], id: number, n: number): Promise<void> {
  const insist = (expected: number, send: (client: Client) => Promise<Answer>) =>
    untilServed(ledger, servers, expected, send);
  const client = `client-${id}`;

  if (await insist(201, (server) => server.put(`/v0/trial/products/${n}`))) ledger.products.add(n);

  const known = [...ledger.products][Math.floor(Math.random() * ledger.products.size)];
  if (known !== undefined) {
    const read = await insist(200, (server) => server.get(`/v0/trial/products/${known}`));
    if (read && sha256(read.bytes) !== sha256(productBytes(known))) {
      ledger.violations.push(`product ${known} was answered torn`);
    }
  }

  const step = (ledger.steps.get(client) ?? 0) + 1;
  if (await insist(200, (server) => server.post('/v0/trial/steps', { client, step }))) {
    ledger.steps.set(client, step);
  }

  // Not in every turn, so the workers keep up.
  if (n % 4 === 0) {
    if (await insist(202, (server) => server.post('/v0/trial/batches', { n }))) ledger.batches.add(n);
  }
  await insist(200, (server) => server.get('/v0/auth/validate-key'));
  await insist(200, (server) => server.get('/v0/trial/compute?ms=5'));
}

/** Sends the request until it is answered as it should be; gives up on an answer that should never come. */
async function untilServed(
  ledger: Ledger,
  servers: readonly Client[],
  expected: number,
  send: (client: Client) => Promise<Answer>,
): Promise<Answer | undefined> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const server = servers[Math.floor(Math.random() * servers.length)];
    if (server === undefined) break;
    const answer = await send(server).catch((error: unknown) => error);
    const outcome = outcomeOf(answer, expected);
    ledger.outcomes.set(outcome, (ledger.outcomes.get(outcome) ?? 0) + 1);
    if (outcome === 'served') return answer as Answer;
    if (outcome !== 'unreachable' && outcome !== 'unavailable') {
      ledger.violations.push(`${outcome} instead of ${expected}`);
      return undefined;
    }
    await sleep(20 + Math.random() * 100);
  }
  ledger.violations.push(`a request that should have been answered ${expected} was never served`);
  return undefined;
}

function outcomeOf(answer: unknown, expected: number): string {
  if (answer instanceof Error) return answer.name === 'TimeoutError' ? 'no answer at all' : 'unreachable';
  const { status, headers, bytes } = answer as Answer;
  if (status === expected) return 'served';
  const isProper503 = status === 503 && Number(headers.get('retry-after')) > 0;
  return isProper503 ? 'unavailable' : `${status} ${bytes.toString().slice(0, 300)}`;
}
