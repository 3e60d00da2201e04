import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ContrailsError, UsageError } from '@contrails/runtime/errors';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Host and port alone, of settings that have more. */
export function listenAddress({ host, port }: ListenAddress): ListenAddress {
  return { host, port };
}

/** Waits until a server listens; an error names the key or flag to change. */
export async function listening(
  start: Promise<unknown>,
  address: ListenAddress,
  setBy: string,
): Promise<void> {
  try {
    await start;
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, address, setBy);
  }
}

/** The address that people can open. */
export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '::' || address === '0.0.0.0') return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function listenError(error: NodeJS.ErrnoException, { host, port }: ListenAddress, setBy: string): Error {
  const options = { cause: error, facts: { host, port } };
  switch (error.code) {
    case 'EADDRINUSE':
      return new ContrailsError(
        `port ${port} on ${host} is in use by another program; stop that one, or set ${setBy} to another port (0 picks a free one)`,
        options,
      );
    case 'EACCES':
      return new ContrailsError(
        `port ${port} may not be used without special rights; set ${setBy} to one above 1023`,
        options,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(
        `${host} is not an address of this machine (${error.code}); listen on 127.0.0.1 for this machine alone or 0.0.0.0 for every network`,
        options,
      );
    default:
      return new ContrailsError(
        `cannot listen on ${host} port ${port} (${error.code ?? error.message})`,
        options,
      );
  }
}
