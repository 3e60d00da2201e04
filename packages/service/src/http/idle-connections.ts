import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Teaches a server which of its connections are idle. To Node a connection is idle as soon as the last byte of an
 * answer has been handed to it, so that stopping the server cuts off large answers that slow readers are still taking.
 * Here it is idle when every answer has left the process and no further request has begun to arrive.
 */
export function trackIdleConnections(server: Server): void {
  const connections = new Map<Socket, { answering: number; bytesBefore: number }>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { answering: 0, bytesBefore: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.answering += 1;
    response.once('close', () => {
      connection.answering -= 1;
      connection.bytesBefore = socket.bytesRead;
    });
  });
  server.closeIdleConnections = () => {
    for (const [socket, { answering, bytesBefore }] of connections) {
      if (answering === 0 && socket.bytesRead === bytesBefore) socket.destroy();
    }
  };
}
