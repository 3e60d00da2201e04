import type { Server } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  answering: number;
  /** What had arrived when the last answer was over. */
  bytesBefore: number;
}

/**
 * Knows which connections of a server are idle. To Node a connection is idle as soon as the last byte of an answer has
 * been handed to it, so that stopping the server cuts off large answers that slow readers are still taking. Here it is
 * idle when every answer has left the process and no further request has begun to arrive.
 */
export class IdleConnections {
  readonly #connections = new Map<Socket, Connection>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#connections.set(socket, { answering: 0, bytesBefore: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.closeIdleConnections = () => this.#close();
  }

  noteRequest(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection !== undefined) connection.answering += 1;
  }

  noteAnswered(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.answering -= 1;
    connection.bytesBefore = socket.bytesRead;
  }

  #close(): void {
    for (const [socket, { answering, bytesBefore }] of this.#connections) {
      if (answering === 0 && socket.bytesRead === bytesBefore) socket.destroy();
    }
  }
}
