import { expect, onTestFinished, test, vi } from 'vitest';
import { WaitLimit } from '../src/wait-limit.ts';

function withClock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return (ms: number) => vi.advanceTimersByTime(ms);
}

test('waits that follow each other share it, and work between them does not count', () => {
  const pass = withClock();
  const waitLimit = new WaitLimit(100);
  const onOver = vi.fn();
  const end = waitLimit.wait(onOver);
  pass(60);
  end();
  end();
  pass(1000);
  expect(waitLimit.leftMs).toBe(40);
  waitLimit.wait(onOver);
  pass(39);
  expect(onOver).not.toHaveBeenCalled();
  pass(1);
  expect(onOver).toHaveBeenCalledOnce();
  expect(waitLimit.leftMs).toBe(0);
});

test('waits at the same time count once', () => {
  const pass = withClock();
  const waitLimit = new WaitLimit(100);
  const onOver = vi.fn();
  const endOne = waitLimit.wait(onOver);
  pass(20);
  const endOther = waitLimit.wait(onOver);
  pass(20);
  endOne();
  pass(20);
  endOther();
  pass(20);
  expect(waitLimit.leftMs).toBe(40);
  expect(onOver).not.toHaveBeenCalled();
});
