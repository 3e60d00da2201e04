import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_METRIC, metricOf, setMetric, withMetric } from '../../src/shell/metric.ts';
import { formatRoute, replaceParameters } from '../../src/shell/route.ts';

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

test('links carry the metric where it is not the default', () => {
  const parameters = new URLSearchParams({ date: '2024-01-01', horizon: '20' });
  expect(formatRoute({ view: 'inventory', parameters })).toBe('#/inventory?date=2024-01-01');
  const metric = { metric: 'gtp', horizon: 50, efficacy: false } as const;
  setMetric(metric);
  try {
    expect(formatRoute({ view: 'inventory', parameters })).toBe(
      '#/inventory?date=2024-01-01&co2e_metric=gtp&horizon=50&efficacy=false',
    );
  } finally {
    setMetric(DEFAULT_METRIC);
  }
  expect(metricOf(withMetric(parameters, metric), DEFAULT_METRIC)).toEqual(metric);
});

test('what a link says of the metric and is not valid stays as it is', () => {
  const wrong = new URLSearchParams({ co2e_metric: 'agwp', horizon: '30', efficacy: 'maybe' });
  expect(metricOf(wrong, DEFAULT_METRIC)).toEqual(DEFAULT_METRIC);
});
