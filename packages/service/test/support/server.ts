import {
  type Server,
  type Setup,
  startServer as startPlainServer,
} from '../../../platform/test/http/harness.ts';
import { api } from '../../src/families/index.ts';

export * from '../../../platform/test/http/harness.ts';

/** The server with the scopes, tags and problems of all families. */
export function startServer(setup: Setup = {}): Promise<Server> {
  return startPlainServer({ ...setup, options: { api, ...setup.options } });
}
