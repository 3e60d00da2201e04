/**
 * Sends the recorded requests to two running services and compares status, headers and bytes of the answers. Use it
 * to show that a change of structure changes nothing that a client sees:
 *
 *   npm run test:answers -- ADDRESS KEY OTHER_ADDRESS OTHER_KEY
 *
 * Both run the demonstration, started within the same hour; wait until both have published the current hour.
 */
import { createHash } from 'node:crypto';
import { type RecordedRequest, recordedRequests } from './requests.ts';

interface Service {
  readonly address: string;
  readonly key: string;
}

/** Headers that may differ between two runs of the same program. */
const VOLATILE_HEADERS = new Set(['date', 'connection', 'keep-alive', 'last-modified']);

const [address, key, otherAddress, otherKey] = process.argv.slice(2);
if (!address || !key || !otherAddress || !otherKey) {
  console.error('usage: npm run test:answers -- ADDRESS KEY OTHER_ADDRESS OTHER_KEY');
  process.exit(2);
}
process.exitCode = await compare({ address, key }, { address: otherAddress, key: otherKey });

async function compare(ours: Service, theirs: Service): Promise<number> {
  const requests = recordedRequests(Date.now());
  let failed = 0;
  const statuses = new Map<number, number>();
  for (const [index, request] of requests.entries()) {
    const [mine, other] = [await send(ours, request, index), await send(theirs, request, index)];
    statuses.set(mine.status, (statuses.get(mine.status) ?? 0) + 1);
    const differences = differencesOf(mine, other);
    if (differences.length === 0) continue;
    failed += 1;
    console.log(`${request.method} ${request.path}\n  ${differences.join('\n  ')}`);
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  console.log(`answers: ${counts.join(', ')}`);
  console.log(`${requests.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

async function send({ address, key }: Service, request: RecordedRequest, index: number): Promise<Answer> {
  const isText = typeof request.body === 'string';
  const response = await fetch(`${address}${request.path}`, {
    method: request.method,
    headers: {
      'x-request-id': `recorded-${index}`,
      ...(request.anonymous ? {} : { 'x-api-key': key }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined
      ? {}
      : { body: isText ? String(request.body) : JSON.stringify(request.body) }),
  });
  const headers = [...response.headers].filter(([name]) => !VOLATILE_HEADERS.has(name));
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

function differencesOf(mine: Answer, other: Answer): string[] {
  const found: string[] = [];
  if (mine.status !== other.status) found.push(`status ${mine.status}, other ${other.status}`);
  for (const name of new Set([...Object.keys(mine.headers), ...Object.keys(other.headers)])) {
    const [here, there] = [mine.headers[name], other.headers[name]];
    if (here !== there) found.push(`header ${name}: ${here}, other ${there}`);
  }
  if (digest(mine.body) !== digest(other.body)) found.push(bodyDifference(mine.body, other.body));
  return found;
}

function bodyDifference(mine: Uint8Array, other: Uint8Array): string {
  const at = mine.findIndex((byte, index) => byte !== other[index]);
  const excerpt = (bytes: Uint8Array) =>
    JSON.stringify(Buffer.from(bytes.subarray(Math.max(0, at - 40), at + 60)).toString('latin1'));
  return `body of ${mine.length} bytes, other ${other.length}, from byte ${at}: ${excerpt(mine)}, other ${excerpt(other)}`;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
