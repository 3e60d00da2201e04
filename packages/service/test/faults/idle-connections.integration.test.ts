import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { createClient, createKey } from '../support/client.ts';
import { type ServiceSettings, startService } from '../support/service.ts';

const OPEN_FILES = 256;
const CLIENTS = 400;

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

test('more idle connections than file descriptors neither end the server nor keep others out', {
  timeout: 120_000,
}, async () => {
  const settings: ServiceSettings = { data: await temporaryDirectory() };
  const key = (await createKey(settings)).text;
  const service = await startService('serve', { ...settings, openFiles: OPEN_FILES });
  try {
    const port = Number(new URL(service.address).port);
    for (let i = 0; i < CLIENTS; i++) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
    const client = createClient(service.address, key);
    expect((await client.get('/v0/trial/compute?ms=10')).status).toBe(200);
    const readiness = await client.get('/readyz');
    const { checks } = readiness.json<{ checks: Record<string, { message?: string }> }>();
    expect(readiness.status).toBe(200);
    expect(checks.process?.message).toContain('connections are open');
    await until('the log reports it', async () => service.log().includes('connections are open'));
    expect(service.log().match(/connections are open/g)).toHaveLength(1);
    service.send('SIGTERM');
    expect(await service.ended).toBe(0);
  } finally {
    await service.kill();
  }
});
