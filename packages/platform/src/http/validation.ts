import { readerOf } from '@contrails/runtime/options/query';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  HookHandlerDoneFunction,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify';
import { declaredTypes, notAcceptable } from './accept.ts';
import type { Tag } from './api.ts';
import type { App } from './app.ts';
import { bodyReader } from './body-schema.ts';
import { createQueryNames } from './query-names.ts';

/**
 * Reads path, query and body by their declarations. The framework would stop at the first part that is wrong; here each
 * part only notes its errors, and all of them are reported together before the handler runs.
 */
export function validateRequests(app: App, tags: readonly Tag[]): void {
  app.setValidatorCompiler(compileReader);
  const namesOf = createQueryNames(tags);
  app.addHook('onRoute', (route) => {
    const { params, querystring } = route.schema ?? {};
    const hasBody = route.method !== 'GET' && route.method !== 'HEAD';
    const checkNames = namesOf(route);
    const types = declaredTypes(route);
    if (types.length > 0) {
      const checkAccept: preParsingHookHandler = (request, _reply, payload, next) =>
        next(notAcceptable(request, types), payload);
      route.preParsing = [checkAccept, ...[route.preParsing ?? []].flat()];
    }
    const readMissing = readerOfMissing(route.schema?.body);
    if (readMissing !== undefined) route.preValidation = [readMissing, ...[route.preValidation ?? []].flat()];
    if (checkNames !== undefined) route.preValidation = [checkNames, ...[route.preValidation ?? []].flat()];
    if (params === undefined && querystring === undefined && !hasBody && checkNames === undefined) return;
    route.preHandler = [refuseInvalid, ...[route.preHandler ?? []].flat()];
  });
}

/** Each type of body has its own reader, and the framework asks none of them about a request without a type. */
function readerOfMissing(body: unknown): preValidationHookHandler | undefined {
  const types = (body as { readonly content?: Readonly<Record<string, { schema: object }>> } | undefined)
    ?.content;
  const [first] = Object.values(types ?? {});
  const read = first && readerOf(first.schema);
  if (read === undefined) return undefined;
  return (request, _reply, next) => {
    if (request.body === undefined) request.body = read(undefined);
    next();
  };
}

function refuseInvalid(request: FastifyRequest, _reply: FastifyReply, next: HookHandlerDoneFunction): void {
  const check = (body: unknown) => {
    request.body = body;
    next(errorsOf(request.params, request.query, request.exchange.unknownParameters, body));
  };
  // A body that is read in turns; the framework would discard what a promise of a validator results in.
  if (request.body instanceof Promise) request.body.then(check, next);
  else check(request.body);
}

const compileReader: FastifySchemaCompiler<object> = ({ schema, httpPart, method, url }) => {
  const read = readerOf(schema) ?? (httpPart === 'body' ? bodyReader(schema) : undefined);
  if (read === undefined) {
    throw new Error(`declare the ${httpPart} of ${method} ${url} with query() or path()`);
  }
  return (value: unknown) => ({ value: value instanceof Rejected ? value : read(value) });
};
