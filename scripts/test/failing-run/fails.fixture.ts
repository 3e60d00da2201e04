import { expect, test } from 'vitest';

test('fails', () => {
  expect(1).toBe(2);
});

let tries = 0;
test('passes when it is repeated', { retry: 1 }, () => {
  tries += 1;
  expect(tries).toBe(2);
});
