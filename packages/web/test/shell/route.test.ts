import { afterEach, expect, test, vi } from 'vitest';
import { replaceParameters } from '../../src/shell/route.ts';

afterEach(() => vi.unstubAllGlobals());

function atAddress(hash: string): ReturnType<typeof vi.fn> {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { hash });
  vi.stubGlobal('history', { replaceState });
  return replaceState;
}

test('puts the state of the view into the address', () => {
  const replaceState = atAddress('#/map');
  replaceParameters('map', new URLSearchParams({ fl: '350' }));
  expect(replaceState).toHaveBeenCalledWith(null, '', '#/map?fl=350');
});

test('leaves the address alone once it names another view', () => {
  const replaceState = atAddress('#/status');
  replaceParameters('map', new URLSearchParams({ fl: '350' }));
  expect(replaceState).not.toHaveBeenCalled();
});
