import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerBusy } from './client-error.ts';
import type { ResourceWarnings } from './resource-warnings.ts';

/** Where a connection keeps what is known of it; finding it must cost next to nothing. */
const STATE = Symbol('connection state');

interface ConnectionState {
  answering: number;
  /** What had arrived when the last answer was over. */
  bytesBefore: number;
}

type Connection = Socket & { [STATE]?: ConnectionState };

/**
 * Knows the connections of a server, how many there may be, and which of them are idle.
 *
 * To Node a connection is idle as soon as the last byte of an answer has been handed to it, so stopping the server
 * cuts off large responses that slow readers are still taking. Here it is idle when every response has left the process
 * and no further request is arriving.
 *
 * Each connection takes a file descriptor, and a process without any cannot open files or measure its memory. Beyond
 * the limit a new connection takes the place of the one that has waited longest for a request, so idle clients
 * cannot keep others out.
 */
export class OpenConnections {
  readonly #open = new Set<Connection>();
  /** Connections without a request that is being answered; the one that has waited longest comes first. */
  readonly #waiting = new Set<Connection>();
  readonly #max: number;
  readonly #warnings: ResourceWarnings;

  constructor(server: Server, max: number, warnings: ResourceWarnings) {
    this.#max = max;
    this.#warnings = warnings;
    server.on('connection', (socket: Connection) => this.#add(socket));
    // Accepting fails where descriptors run out all the same. Without a listener the event would end the process.
    server.once('listening', () =>
      server.on('error', (error) => warnings.report('accept', `cannot accept connections: ${error.message}`)),
    );
    server.closeIdleConnections = () => this.#closeIdle();
  }

  get count(): number {
    return this.#open.size;
  }

  noteRequest(socket: Connection): void {
    const state = socket[STATE];
    if (state === undefined) return;
    state.answering += 1;
    this.#waiting.delete(socket);
  }

  noteAnswered(socket: Connection): void {
    const state = socket[STATE];
    if (state === undefined) return;
    state.answering -= 1;
    state.bytesBefore = socket.bytesRead;
    if (state.answering === 0 && this.#open.has(socket)) this.#waiting.add(socket);
  }

  #add(socket: Connection): void {
    socket[STATE] = { answering: 0, bytesBefore: 0 };
    this.#open.add(socket);
    this.#waiting.add(socket);
    socket.once('close', () => this.#remove(socket));
    if (this.#open.size > this.#max) this.#makeRoom(socket);
  }

  #remove(socket: Connection): void {
    this.#open.delete(socket);
    this.#waiting.delete(socket);
  }

  #makeRoom(newcomer: Connection): void {
    const [longest = newcomer] = this.#waiting;
    this.#remove(longest);
    if (longest === newcomer) {
      answerBusy(newcomer, `the server has ${this.#max} open connections, all in use; try again in 1 s`);
      this.#warnings.report('connections', `all ${this.#max} connections are in use; new ones are refused`);
    } else {
      longest.destroy();
      this.#warnings.report(
        'connections',
        `all ${this.#max} connections are open; the longest idle ones are closed to make room for new ones`,
      );
    }
  }

  #closeIdle(): void {
    for (const socket of this.#waiting) {
      if (socket.bytesRead === socket[STATE]?.bytesBefore) socket.destroy();
    }
  }
}
