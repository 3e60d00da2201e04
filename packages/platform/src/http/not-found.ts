import { METHODS } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from './accept.ts';
import type { App } from './app.ts';
import { answerPreflight } from './cors.ts';
import { sendProblem } from './error-handler.ts';
import { makeTextPage, sendPage } from './page.ts';
import { ProblemError } from './problem.ts';

/** Answers a request that no route takes: 405 with `Allow` where other methods are served, OPTIONS, or 404. */
export function answerUnmatched(app: App, request: FastifyRequest, reply: FastifyReply): void {
  const methods = methodsAt(app, request.url);
  if (methods.length === 0 && isBrowser(request)) {
    sendPage(reply.code(404), NOT_FOUND);
  } else if (methods.length === 0) {
    sendProblem(
      new ProblemError('not-found', 'there is nothing at this path; /openapi lists all endpoints'),
      request,
      reply,
    );
  } else if (request.method === 'OPTIONS') {
    answerPreflight(request, reply, methods);
  } else {
    const detail = `${request.method} is not served at this path; use ${methods.join(' or ')}`;
    const headers = { allow: methods.join(', ') };
    sendProblem(new ProblemError('method-not-allowed', detail, { headers }), request, reply);
  }
}

/** Programs do not prefer pages. */
function isBrowser({ method, headers: { accept } }: FastifyRequest): boolean {
  return method === 'GET' && preferredType(accept, ['application/problem+json', 'text/html']) === 'text/html';
}

const NOT_FOUND = makeTextPage(
  'Not found',
  `<h1>There is nothing at this address</h1>
<p>It may have been typed wrong, or belong to another version of the service.</p>
<ul><li><a href="/">Open the app</a></li>
<li><a href="/openapi">See all endpoints of the API</a></li></ul>`,
);

/** The methods that are served at an address, parametric routes included. */
function methodsAt(app: App, url: string): string[] {
  const served = SERVED.filter((method) => app.findRoute({ method, url }) !== null);
  return served.length === 0 ? [] : [...served, 'OPTIONS'];
}

/** OPTIONS is answered for every path by `answerUnmatched` itself. */
const SERVED = METHODS.filter((method) => method !== 'OPTIONS');
