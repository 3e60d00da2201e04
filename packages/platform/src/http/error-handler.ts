import { RefusedError, UnavailableError } from '@contrails/runtime/errors';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { makeProblem, type ProblemError, type ProblemKinds } from './problem.ts';
import { problemOf } from './problem-of.ts';

export type SendError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => void;

/** Answers any error of any request in one shape; internal errors are logged with all their facts. */
export function errorSender(kinds: ProblemKinds): SendError {
  return (error, request, reply) => {
    const problem = problemOf(error, request.url, kinds);
    const status = problem.options.status ?? problem.problem.status;
    if (status === 500) request.log.error({ err: error }, 'request failed');
    else if (error instanceof UnavailableError || (error instanceof RefusedError && status > 500))
      request.log.warn({ err: error }, 'request refused');
    // Where a body was refused the framework closes the connection, and a client that is still sending would lose the
    // answer. What still comes is read and thrown away instead, within the time a request has to arrive.
    reply.removeHeader('connection');
    sendProblem(problem, request, reply);
  };
}

export function sendProblem(error: ProblemError, request: FastifyRequest, reply: FastifyReply): void {
  const body = makeProblem(error.problem, error.message, request.id, error.options);
  reply
    .code(body.status)
    .headers({ 'cache-control': 'no-store', ...error.options.headers })
    .type('application/problem+json')
    // As bytes, so the framework adds no charset to the type.
    .send(Buffer.from(JSON.stringify(body)));
}
