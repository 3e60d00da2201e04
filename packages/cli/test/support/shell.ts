import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { contrails } from './contrails.ts';

/** Commands that scripts of a shell send to `$COMMANDS`. */
export interface ShellCommands {
  readonly environment: { readonly COMMANDS: string };
  close(): void;
}

/**
 * The beginning of a script in which `npx contrails` runs in a process that other commands have warmed up. Its environment
 * and its folder are those of the shell.
 */
export const WITH_CONTRAILS = `
set -e
contrails() {
  { env -0; printf '\\0'; printf '%s\\0' "$PWD" "$@"; } |
    command curl -sS --fail-with-body --data-binary @- -H 'content-type: application/octet-stream' "$COMMANDS"
}
npx() { "$@"; }
`;

export async function answerCommands(): Promise<ShellCommands> {
  const server = createServer(runCommand).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { environment: { COMMANDS: `http://127.0.0.1:${port}` }, close: () => void server.close() };
}

/** Runs the command line of a request: its environment, an empty text, its folder and its words, each ended by a NUL. */
async function runCommand(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const texts = (await text(request)).split('\0').slice(0, -1);
  const end = texts.indexOf('');
  const env = Object.fromEntries(texts.slice(0, end).map((entry) => entry.split(/=(.*)/s)));
  const [cwd = '', ...args] = texts.slice(end + 1);
  const { code, stdout, stderr } = await contrails(args, { cwd, env });
  response.writeHead(code === 0 ? 200 : 500).end(code === 0 ? stdout : stdout + stderr);
}
