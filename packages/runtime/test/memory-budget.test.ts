import { expect, onTestFinished, test, vi } from 'vitest';
import { CancelledError, UnavailableError } from '../src/errors.ts';
import { MemoryBudget, type MemoryBudgetOptions } from '../src/memory-budget.ts';
import { WaitLimit } from '../src/wait-limit.ts';

function budget(options: Partial<MemoryBudgetOptions> = {}): MemoryBudget {
  return new MemoryBudget({ limitBytes: 1000, residentBytes: () => 100, ...options });
}

test('memory is counted by owner until it is released, once', () => {
  const memory = budget();
  const body = memory.take('bodies', 200);
  const plan = memory.take('flights', 300);
  expect(memory.usage()).toEqual({ bodies: 200, flights: 300 });
  expect(memory.usedBytes()).toBe(600);
  body.release();
  body.release();
  expect(memory.usage()).toEqual({ bodies: 0, flights: 300 });
  plan.release();
  expect(memory.usedBytes()).toBe(100);
});

test('work beyond the limit is refused with the time to try again, and counted', () => {
  const memory = budget();
  memory.take('flights', 600);
  const refused = () => memory.take('flights', 400);
  expect(refused).toThrow(UnavailableError);
  expect(refused).toThrow(/server\.memory_mib/);
  expect(memory.statistics()).toEqual({ waiting: 0, refusals: 2 });
  expect(memory.usage()).toEqual({ flights: 600 });
});

test('the only work of an owner starts although something else holds the memory', () => {
  const memory = budget({ residentBytes: () => 5000 });
  const alone = memory.take('flights', 100);
  expect(() => memory.take('flights', 1)).toThrow(UnavailableError);
  memory.take('bodies', 100);
  alone.release();
  expect(() => memory.take('flights', 1001)).toThrow(UnavailableError);
});

test('resident memory that no owner has counts as well', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let resident = 100;
  const memory = budget({ residentBytes: () => resident });
  memory.take('bodies', 10);
  resident = 950;
  vi.advanceTimersByTime(1000);
  expect(() => memory.take('bodies', 100)).toThrow(UnavailableError);
  resident = 300;
  vi.advanceTimersByTime(1000);
  memory.take('bodies', 100);
});

test('works on a system that does not report resident memory', () => {
  const memory = budget({ residentBytes: () => undefined });
  memory.take('bodies', 600);
  expect(memory.usedBytes()).toBe(600);
});

test('memory with its own limit is set aside before it is filled', () => {
  const memory = budget();
  memory.addFixed('weather', { usedBytes: () => 10, limitBytes: () => 500 });
  memory.take('bodies', 300);
  expect(memory.usage()).toEqual({ weather: 10, bodies: 300 });
  expect(() => memory.take('bodies', 200)).toThrow(UnavailableError);
});

test('what grows beyond the limit is refused and keeps its size', () => {
  const memory = budget();
  memory.take('bodies', 500);
  const body = memory.take('bodies', 100);
  body.grow(200);
  expect(() => body.grow(200)).toThrow(UnavailableError);
  expect(body.bytes).toBe(300);
  body.release();
  expect(memory.usage()).toEqual({ bodies: 500 });
});

test('work waits in the order of its arrival', async () => {
  const memory = budget();
  const first = memory.take('flights', 800);
  const served: string[] = [];
  const large = memory.reserve('flights', 700).then((lease) => {
    served.push('large');
    return lease;
  });
  const small = memory.reserve('flights', 150).then(() => served.push('small'));
  expect(() => memory.take('flights', 1)).toThrow(UnavailableError);
  expect(memory.statistics().waiting).toBe(2);
  first.release();
  await Promise.all([large, small]);
  expect(served).toEqual(['large', 'small']);
});

test('a wait ends with its time, with its caller, and lets the next one pass', async () => {
  const memory = budget();
  memory.take('flights', 800);
  const caller = new AbortController();
  const left = memory.reserve('flights', 700, { signal: caller.signal });
  const late = memory.reserve('flights', 600, { waitLimit: new WaitLimit(5) });
  const next = memory.reserve('flights', 50);
  caller.abort();
  await expect(left).rejects.toThrow(CancelledError);
  await expect(late).rejects.toThrow(UnavailableError);
  expect((await next).bytes).toBe(50);
});

test('a shortage asks for memory that can be made again, and who waits gets it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let resident = 100;
  const memory = budget({
    residentBytes: () => resident,
    onShortage: () => {
      resident = 200;
    },
  });
  memory.take('flights', 10);
  resident = 900;
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  expect((await memory.reserve('flights', 500)).bytes).toBe(500);
});

test('a shortage of one owner is told once a second, and hides none of another', () => {
  const told: (string | undefined)[] = [];
  const memory = budget({ onShortage: (owner) => told.push(owner), residentBytes: () => 1001 });
  memory.take('bodies', 10);
  for (const owner of ['bodies', 'bodies', 'flights'])
    expect(() => [1, 2].map(() => memory.take(owner, 10))).toThrow(UnavailableError);
  memory.check();
  expect(told).toEqual(['bodies', 'flights', undefined]);
});

test('resident memory beyond the limit is noticed without new work', () => {
  let asked = 0;
  const onShortage = () => {
    asked += 1;
  };
  budget({ onShortage }).check();
  expect(asked).toBe(0);
  budget({ onShortage, residentBytes: () => 1001 }).check();
  expect(asked).toBe(1);
});
