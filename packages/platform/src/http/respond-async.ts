/** `Prefer: respond-async` (RFC 7240): the work goes on as a job, and the client comes back for its result. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JobRecord } from '../jobs/index.ts';

export function wantsJob({ headers: { prefer } }: FastifyRequest): boolean {
  return [prefer ?? []].flat().some((value) => /(^|[,;\s])respond-async\s*([,;]|$)/i.test(value));
}

export function sendAccepted(
  reply: FastifyReply,
  { id, state }: Pick<JobRecord, 'id' | 'state'>,
): FastifyReply {
  const location = `/v0/jobs/${id}`;
  return reply
    .code(202)
    .headers({ location, 'preference-applied': 'respond-async', 'retry-after': '2' })
    .send({ id, state, location });
}
