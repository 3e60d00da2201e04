import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { App } from '../../src/http/app.ts';
import { httpDefaults } from '../../src/http/options.ts';
import { Overload } from '../../src/http/overload.ts';
import { PressureGauge } from '../../src/http/pressure.ts';
import { startServer } from './harness.ts';

const calm = { eventLoopDelayMs: 0, heapBytes: 0, rssBytes: 0 };
const limits = {
  ...httpDefaults(),
  maxInFlight: 2,
  maxEventLoopDelayMs: 100,
  maxHeapBytes: 1000,
  maxRssBytes: 2000,
};

describe('work is refused', () => {
  test.each([
    ['never while all is calm', calm, 2, undefined],
    ['beyond the number of requests', calm, 3, 'already works on 2 requests'],
    ['when the event loop lags', { ...calm, eventLoopDelayMs: 101 }, 1, 'cannot keep up'],
    ['when the heap is full', { ...calm, heapBytes: 1001 }, 1, 'short of memory'],
    ['when the process is large', { ...calm, rssBytes: 2001 }, 2, 'short of memory'],
  ])('work is refused %s', (_, current, inFlight, words) => {
    const overload = new Overload(limits, { current });
    overload.inFlight = inFlight;
    const refusal = overload.refusal();
    if (words === undefined) expect(refusal).toBeUndefined();
    else expect(refusal?.message).toContain(words);
    if (words !== undefined) expect(Number(refusal?.options.headers?.['retry-after'])).toBeGreaterThan(0);
  });
});

describe('the gauge', () => {
  const turns = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const block = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  test('sees a loop that lags all the time', async () => {
    const gauge = new PressureGauge({ report: () => undefined });
    for (let round = 0; round < 5 && gauge.current.eventLoopDelayMs < 200; round++) {
      block(600);
      await turns(1);
    }
    expect(gauge.current.eventLoopDelayMs).toBeGreaterThan(200);
    expect(gauge.current.heapBytes).toBeGreaterThan(0);
    gauge.close();
  });
});

describe('a server at its limit', () => {
  let finish = () => {};
  let reached = 0;
  const family = (app: App) => {
    app.get('/v0/long', { config: { scope: 'public' } }, async () => {
      reached += 1;
      await new Promise<void>((resolve) => {
        const before = finish;
        finish = () => {
          before();
          resolve();
        };
      });
      return {};
    });
  };

  test('answers 503 with Retry-After before work starts, and health all the time', async () => {
    const server = await startServer({ families: [family], options: { maxInFlight: 2 } });
    const held = [server.send('/v0/long'), server.send('/v0/long')];
    await until('two requests are at work', () => reached === 2, { pauseMs: 1 });
    const refused = await server.send('/v0/long');
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.problem().type).toBe('/problems/overloaded');
    expect(reached).toBe(2);
    expect((await server.send('/healthz')).status).toBe(200);
    expect((await server.send('/readyz')).status).toBe(200);
    finish();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    const after = server.send('/v0/long');
    await until('a third request is at work', () => reached === 3, { pauseMs: 1 });
    finish();
    expect((await after).status).toBe(200);
  });
});
