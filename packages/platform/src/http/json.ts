import { toJson, toJsonInTurns } from '@contrails/formats/json/writer';
import type { FastifyReply } from 'fastify';
import type { App } from './app.ts';

/** Sends objects as JSON; schemas of responses only describe them. */
export function answerJson(app: App): void {
  // Buffers are sent as they are; the type only knows of texts.
  app.setReplySerializer((payload) => toJson(payload) as string);
  app.setSerializerCompiler(() => (payload) => toJson(payload) as string);
}

/** Sends an answer that may have millions of numbers, which take longer to write than other requests should wait. */
export async function sendLargeJson(reply: FastifyReply, answer: object): Promise<FastifyReply> {
  return reply.type('application/json').send(await toJsonInTurns(answer));
}

/** JSON has no charset, though the framework gives it one, and clients compare the type as a whole. */
export function dropCharset(reply: FastifyReply): void {
  if (reply.getHeader('content-type') === 'application/json; charset=utf-8') reply.type('application/json');
}
