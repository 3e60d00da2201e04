import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withRetry } from '../src/index.ts';
import { DAY_MS, HOUR_MS } from '../src/time.ts';

/** A step that fails a number of times before it succeeds, and counts its runs. */
function failing(times: number) {
  const step = Object.assign(
    async () => {
      step.runs += 1;
      if (step.runs <= times) throw new Error(`failure ${step.runs}`);
      return 'done';
    },
    { runs: 0 },
  );
  return step;
}

describe('a step that is retried', () => {
  test('returns its result once it succeeds', async () => {
    const step = failing(2);
    expect(await withRetry(step, { pauseMs: 1 })).toBe('done');
    expect(step.runs).toBe(3);
  });

  test('throws its last error when the attempts are used up', async () => {
    const step = failing(5);
    await expect(withRetry(step, { attempts: 3, pauseMs: 1 })).rejects.toThrow('failure 3');
    expect(step.runs).toBe(3);
  });

  test('throws an error that is not transient at once', async () => {
    const step = failing(5);
    const isTransient = (error: unknown) => (error as Error).message !== 'failure 2';
    await expect(withRetry(step, { pauseMs: 1, isTransient })).rejects.toThrow('failure 2');
    expect(step.runs).toBe(2);
  });

  test('gives up when the time is over, counted from the first failure', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const step = vi.fn(() => {
      now += 10;
      throw new Error(`failure at ${now}`);
    });
    await expect(withRetry(step, { pauseMs: 1, maxPauseMs: 1, timeoutMs: 25 })).rejects.toThrow(
      'failure at 40',
    );
  });

  test('reports the error before each pause', async () => {
    const reported: unknown[] = [];
    const onPause = (error: unknown) => reported.push((error as Error).message);
    await withRetry(failing(2), { pauseMs: 1, onPause });
    expect(reported).toEqual(['failure 1', 'failure 2']);
  });

  test('pauses no longer than the maximum, whatever an error asks for', async () => {
    const day = DAY_MS;
    expect(await withRetry(failing(2), { pauseMs: day, maxPauseMs: 1, pauseOf: () => day })).toBe('done');
  });

  test('leaves its pause when the signal aborts', async () => {
    const controller = new AbortController();
    const running = withRetry(failing(1), {
      pauseMs: HOUR_MS,
      signal: controller.signal,
      onPause: () => setImmediate(() => controller.abort()),
    });
    await expect(running).rejects.toThrow(/abort/i);
  });
});
