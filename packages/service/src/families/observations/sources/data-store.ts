/** The Data Store of EUMETSAT: searched without an account, downloaded from with a token, one file of a product at a time. */
import { createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ContrailsError, isoSecond, type RetryPolicy, withRetry } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { USER_AGENT } from '@contrails/runtime/user-agent';

const ROOT = 'https://api.eumetsat.int';
/** FCI level 1c at normal resolution. */
const FCI_COLLECTION = 'EO:EUM:DAT:0662';
const PAGE = 100;
/** A token that ends sooner is renewed before it is used [ms]. */
const TOKEN_MARGIN_MS = 60_000;

export interface DataStoreSettings {
  readonly root?: string | undefined;
  /** Of an account at EUMETSAT; searches need none. */
  readonly consumerKey?: string | undefined;
  readonly consumerSecret?: string | undefined;
  /** Where key and secret are set, for messages; variables of the environment unless given. */
  readonly keyNames?: readonly [key: string, secret: string];
  readonly retry?: Partial<RetryPolicy>;
}

/** A file of a product. */
export interface StoreEntry {
  readonly name: string;
  readonly url: string;
  /** Changes when the product does. */
  readonly version: string;
  /** Estimate; 0 where the store gives none. */
  readonly bytes: number;
}

export interface DataStore {
  /** Files of all products that were sensed between two times. */
  search(fromMs: number, toMs: number, signal?: AbortSignal): Promise<StoreEntry[]>;
  /** The file has its name only when it is whole. What an earlier attempt has left is continued. */
  download(entry: Pick<StoreEntry, 'url'>, path: string, signal?: AbortSignal): Promise<void>;
}

export function openDataStore(settings: DataStoreSettings): DataStore {
  const root = (settings.root ?? ROOT).replace(/\/$/, '');
  const [keyName, secretName] = settings.keyNames ?? ['EUMETSAT_CONSUMER_KEY', 'EUMETSAT_CONSUMER_SECRET'];
  const policy: RetryPolicy = {
    attempts: 5,
    pauseMs: 1000,
    maxPauseMs: 60_000,
    ...settings.retry,
    isTransient: (error) => !(error instanceof UsageError || (error instanceof StoreError && error.isFinal)),
    pauseOf: (error) => (error instanceof StoreError ? error.pauseMs : undefined),
  };
  let token: { readonly value: string; readonly untilMs: number } | undefined;

  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    const headers = { 'user-agent': USER_AGENT, ...init.headers };
    const response = await fetch(url, { ...init, headers });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new StoreError(url, response);
  };

  const renewToken = async (signal: AbortSignal | undefined): Promise<string> => {
    const { consumerKey, consumerSecret } = settings;
    if (consumerKey === undefined || consumerSecret === undefined) {
      throw new UsageError(
        `downloads from the Data Store need an account at EUMETSAT; set ${keyName} and ${secretName} to its consumer key and secret`,
      );
    }
    const basic = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
    const response = await ask(`${root}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.status !== 401) throw error;
      throw new UsageError(`EUMETSAT does not accept ${keyName} and ${secretName}; check them`);
    });
    const answer = (await response.json()) as { readonly access_token: string; readonly expires_in: number };
    token = { value: answer.access_token, untilMs: Date.now() + 1000 * answer.expires_in - TOKEN_MARGIN_MS };
    return token.value;
  };

  const searchPage = async (fromMs: number, toMs: number, start: number, signal: AbortSignal | undefined) => {
    const query = new URLSearchParams({
      format: 'json',
      pi: FCI_COLLECTION,
      dtstart: isoSecond(fromMs),
      dtend: isoSecond(toMs),
      c: String(PAGE),
      si: String(start),
    });
    const url = `${root}/data/search-products/1.0.0/os?${query}`;
    const found = await withRetry(
      async () => (await ask(url, signal === undefined ? {} : { signal })).json(),
      { ...policy, ...(signal === undefined ? {} : { signal }) },
    );
    return (found as { readonly features?: readonly Feature[] }).features ?? [];
  };

  return {
    async search(fromMs, toMs, signal) {
      const entries: StoreEntry[] = [];
      for (let start = 0; ; start += PAGE) {
        const features = await searchPage(fromMs, toMs, start, signal);
        for (const { properties } of features) {
          const listed = properties?.links?.['sip-entries'] ?? [];
          const bytes = Math.round((1000 * (properties?.productInformation?.size ?? 0)) / listed.length);
          for (const { title: name, href: url } of listed) {
            if (name === undefined || url === undefined) continue;
            entries.push({ name, url, version: properties?.updated ?? '', bytes });
          }
        }
        if (features.length < PAGE) return entries;
      }
    },

    async download({ url }, path, signal) {
      const part = `${path}.part`;
      await withRetry(
        async () => {
          const done = (await stat(part).catch(() => undefined))?.size ?? 0;
          const usable = token !== undefined && token.untilMs > Date.now() ? token.value : undefined;
          const value = usable ?? (await renewToken(signal));
          const headers = {
            authorization: `Bearer ${value}`,
            ...(done > 0 ? { range: `bytes=${done}-` } : {}),
          };
          const response = await ask(url, { headers, ...(signal === undefined ? {} : { signal }) }).catch(
            (error: unknown) => {
              // A token may end before its time.
              if (error instanceof StoreError && error.status === 401) token = undefined;
              throw error;
            },
          );
          if (response.body === null) throw new StoreError(url, response);
          const flags = response.status === 206 ? 'a' : 'w';
          const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
          await pipeline(
            body,
            createWriteStream(part, { flags }),
            ...(signal === undefined ? [] : [{ signal }]),
          );
        },
        { ...policy, ...(signal === undefined ? {} : { signal }) },
      );
      await rename(part, path);
    },
  };
}

interface Feature {
  readonly properties?: {
    readonly updated?: string;
    /** `size` is in kB. */
    readonly productInformation?: { readonly size?: number };
    readonly links?: {
      readonly 'sip-entries'?: readonly { readonly title?: string; readonly href?: string }[];
    };
  };
}

export class StoreError extends ContrailsError {
  readonly status: number;
  readonly pauseMs: number | undefined;

  constructor(url: string, { status, headers }: Response) {
    super(`${new URL(url).origin} answers ${status}; try again later`, { facts: { url, status } });
    this.status = status;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.pauseMs = seconds >= 0 ? 1000 * seconds : undefined;
  }

  /** Another attempt would get the same answer. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 408, 416, 429].includes(this.status);
  }
}
