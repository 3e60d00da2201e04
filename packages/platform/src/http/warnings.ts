import type { FastifyReply } from 'fastify';

/** A JSON list of sentences about the answer, where its body has no place for them. */
export const WARNINGS_HEADER = 'contrails-warnings';

/** Adds to the warnings of the answer. */
export function sendWarnings(reply: FastifyReply, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const before = reply.getHeader(WARNINGS_HEADER);
  const all = [...(before === undefined ? [] : (JSON.parse(String(before)) as string[])), ...warnings];
  reply.header(WARNINGS_HEADER, inAscii(JSON.stringify(all)));
}

/** Headers are bytes of no certain encoding; JSON can write every character in ASCII. */
function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
