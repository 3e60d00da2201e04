import { expect, onTestFinished, test, vi } from 'vitest';
import { Patience } from '../src/patience.ts';

function withClock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return (ms: number) => vi.advanceTimersByTime(ms);
}

test('waits that follow each other share it, and work between them does not count', () => {
  const pass = withClock();
  const patience = new Patience(100);
  const onOver = vi.fn();
  const end = patience.wait(onOver);
  pass(60);
  end();
  end();
  pass(1000);
  expect(patience.leftMs).toBe(40);
  patience.wait(onOver);
  pass(39);
  expect(onOver).not.toHaveBeenCalled();
  pass(1);
  expect(onOver).toHaveBeenCalledOnce();
  expect(patience.leftMs).toBe(0);
});

test('waits at the same time count once', () => {
  const pass = withClock();
  const patience = new Patience(100);
  const onOver = vi.fn();
  const endOne = patience.wait(onOver);
  pass(20);
  const endOther = patience.wait(onOver);
  pass(20);
  endOne();
  pass(20);
  endOther();
  pass(20);
  expect(patience.leftMs).toBe(40);
  expect(onOver).not.toHaveBeenCalled();
});
