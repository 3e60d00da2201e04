import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../store/store.ts';

/** What a conditional request is compared with. */
export interface Version {
  /** Entity tag, with its quotes. */
  readonly etag: string;
  readonly modifiedMs: number;
  readonly size: number;
}

export type Selection =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 }
  | { readonly status: 416 };

/** Which part of a file a GET or HEAD gets (RFC 9110, sections 13 and 14). */
export function select(method: string, headers: IncomingHttpHeaders, version: Version): Selection {
  if (isFresh(headers, version)) return { status: 304 };
  const { range } = headers;
  if (method !== 'GET' || range === undefined || !mayResume(headers['if-range'], version))
    return { status: 200 };
  return parseRange(range, version.size);
}

/** The caller has this version already. A tag, where there is one, decides alone. */
function isFresh(headers: IncomingHttpHeaders, { etag, modifiedMs }: Version): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.trim() === '*' || listsTag(tags, etag);
  const since = headers['if-modified-since'];
  if (since === undefined) return false;
  const sinceMs = Date.parse(since);
  return !Number.isNaN(sinceMs) && toSeconds(modifiedMs) <= toSeconds(sinceMs);
}

/** Weak comparison: a compressed copy of the same content counts. */
function listsTag(tags: string, etag: string): boolean {
  const wanted = opaque(etag);
  return (tags.match(/(W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** A download is only resumed from exactly the same bytes. */
function mayResume(condition: string | string[] | undefined, { etag, modifiedMs }: Version): boolean {
  if (condition === undefined) return true;
  const text = String(condition).trim();
  if (text.startsWith('"') || text.startsWith('W/')) return text === etag;
  return toSeconds(Date.parse(text)) === toSeconds(modifiedMs);
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** One range of bytes; several, or anything else, give the whole file. */
function parseRange(header: string, size: number): Selection {
  const [, first = '', last = ''] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return { status: 200 };
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? { status: 416 } : { status: 206, range: { first: size - count, last: size - 1 } };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return { status: 200 };
  return start >= size ? { status: 416 } : { status: 206, range: { first: start, last: end } };
}
