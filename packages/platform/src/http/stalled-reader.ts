import type { ServerResponse } from 'node:http';

/**
 * Ends the connection of a client that takes nothing of its answer for this long, so that it cannot hold its place and
 * the answer's memory for ever. Slow reading is fine, and so is waiting for an answer that is still being made.
 */
export function endStalledReader(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs, () => {
    const { socket } = response;
    if (socket !== null && socket.writableLength > 0) socket.destroy();
  });
}

/** Smaller responses fit into what the system buffers for a connection, and cost nothing while they are not read. */
export const UNREAD_BYTES = 65_536;
