import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Where a connection keeps what is known of it; finding it must cost next to nothing. */
const STATE = Symbol('connection state');

interface ConnectionState {
  answering: number;
  /** What had arrived when the last answer was over. */
  bytesBefore: number;
}

type Connection = Socket & { [STATE]?: ConnectionState };

/**
 * Knows which connections of a server are idle. To Node a connection is idle as soon as the last byte of an answer has
 * been handed to it, so that stopping the server cuts off large responses that slow readers are still taking. Here it is
 * idle when every response has left the process and no further request is arriving.
 */
export class IdleConnections {
  readonly #connections = new Set<Connection>();

  constructor(server: Server) {
    server.on('connection', (socket: Connection) => {
      socket[STATE] = { answering: 0, bytesBefore: 0 };
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.closeIdleConnections = () => this.#close();
  }

  noteRequest(socket: Connection): void {
    const state = socket[STATE];
    if (state !== undefined) state.answering += 1;
  }

  noteAnswered(socket: Connection): void {
    const state = socket[STATE];
    if (state === undefined) return;
    state.answering -= 1;
    state.bytesBefore = socket.bytesRead;
  }

  #close(): void {
    for (const socket of this.#connections) {
      const { answering = 0, bytesBefore = 0 } = socket[STATE] ?? {};
      if (answering === 0 && socket.bytesRead === bytesBefore) socket.destroy();
    }
  }
}
