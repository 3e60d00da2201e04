/** A server with the interface of the Data Store of EUMETSAT: search, tokens, entries of products, and its faults. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoreProduct {
  /** Of its frame. */
  readonly timeMs: number;
  /** When it was processed, unless at the end of the scan. */
  readonly processedMs?: number;
}

export interface StoreServer {
  readonly root: string;
  readonly seen: { tokens: number; searches: string[]; downloads: string[]; ranges: string[] };
  /** Each takes the place of the next answer to a download. */
  readonly faults: ((response: ServerResponse, content: Buffer) => unknown)[];
  /** Changed while the server runs. */
  products: readonly StoreProduct[];
  close(): void;
}

const STEP_MS = 600_000;
const DAY_MS = 86_400_000;
const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');

/** `W_XX-EUMETSAT-Darmstadt,IMG+SAT,MTI1+FCI-1C-RRAD-FDHSI-FD--CHK-BODY---NC4E_C_EUMT_…_N_JLS_C_0073_0012.nc` */
function chunkName({ timeMs, processedMs = timeMs + 95_000 }: StoreProduct, chunk: number): string {
  const cycle = (timeMs % DAY_MS) / STEP_MS + 1;
  const four = (value: number) => String(value).padStart(4, '0');
  return `W_XX-EUMETSAT-Darmstadt,IMG+SAT,MTI1+FCI-1C-RRAD-FDHSI-FD--CHK-BODY---NC4E_C_EUMT_${stamp(processedMs)}_IDPFI_OPE_${stamp(timeMs + 7000)}_${stamp(timeMs + 26_000)}_N_JLS_C_${four(cycle)}_${four(chunk)}.nc`;
}

export async function serve(answer: RequestListener): Promise<{ root: string; close(): void }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Every product has forty chunks, a trailer and a manifest. The account has the key `key` and the secret `secret`. */
export async function dataStore(
  products: readonly StoreProduct[],
  contentOf: (name: string) => Buffer,
): Promise<StoreServer> {
  const { root, close } = await serve((request, response) => answer(request, response));
  const store: StoreServer = {
    root,
    close,
    products,
    faults: [],
    seen: { tokens: 0, searches: [], downloads: [], ranges: [] },
  };
  const search = (url: URL, response: ServerResponse) => {
    const [from, to] = ['dtstart', 'dtend'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
    store.seen.searches.push(`${url.searchParams.get('pi')} ${url.searchParams.get('dtstart')}`);
    const found = store.products.filter(
      ({ timeMs }) => timeMs + STEP_MS > (from as number) && timeMs < (to as number),
    );
    response.end(
      JSON.stringify({
        type: 'FeatureCollection',
        totalResults: found.length,
        features: found.map((product) => featureOf(product, root)),
      }),
    );
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', root);
    if (url.pathname === '/data/search-products/1.0.0/os') return search(url, response);
    if (url.pathname === '/token') {
      const isKnown =
        request.headers.authorization === `Basic ${Buffer.from('key:secret').toString('base64')}`;
      if (!isKnown) return response.writeHead(401).end();
      return response.end(JSON.stringify({ access_token: `token ${++store.seen.tokens}`, expires_in: 3600 }));
    }
    const isToken = /^Bearer token \d+$/.test(request.headers.authorization ?? '');
    if (!isToken) return response.writeHead(401).end();
    const name = url.searchParams.get('name') ?? '';
    const content = contentOf(name);
    const fault = store.faults.shift();
    if (fault !== undefined) return fault(response, content);
    store.seen.downloads.push(name);
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (start > 0) store.seen.ranges.push(name);
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': content.length - start });
    return response.end(content.subarray(start));
  };
  return store;
}

function featureOf(product: StoreProduct, root: string) {
  const { timeMs, processedMs = timeMs + 95_000 } = product;
  const names = Array.from({ length: 40 }, (_, k) => chunkName(product, k + 1));
  const trailer = chunkName(product, 41).replace('CHK-BODY---', 'CHK-TRAIL---');
  return {
    id: `product ${timeMs}`,
    properties: {
      date: `${new Date(timeMs + 7000).toISOString()}/${new Date(timeMs + 560_000).toISOString()}`,
      updated: new Date(processedMs).toISOString(),
      productInformation: { productType: 'FDHSI', size: 800_000 },
      links: {
        'sip-entries': [...names, trailer, 'manifest.xml'].map((title) => ({
          title,
          mediaType: 'application/x-netcdf',
          href: `${root}/data/download/1.0.0/collections/EO%3AEUM%3ADAT%3A0662/products/p/entry?name=${encodeURIComponent(title)}`,
        })),
      },
    },
  };
}
