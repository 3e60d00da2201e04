import { useEffect, useState } from 'preact/hooks';
import { followMetric, useMetric, withMetric } from './metric.ts';

const VIEWS = ['map', 'flight', 'inventory', 'observations', 'skill', 'status'] as const;
export type View = (typeof VIEWS)[number];

/** Where the app is: a view, and what of it the address restores. Lies behind `#`, so the service sees none of it. */
export interface Route {
  readonly view: View;
  readonly parameters: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const view = VIEWS.find((name) => name === path) ?? 'map';
  return { view, parameters: new URLSearchParams(search) };
}

export function formatRoute({ view, parameters }: Route): string {
  const search = withMetric(parameters)
    .toString()
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%2F', '/');
  return search === '' ? `#/${view}` : `#/${view}?${search}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => {
    const first = parseRoute(location.hash);
    followMetric(first.parameters);
    return first;
  });
  const metric = useMetric();
  // A metric that is chosen changes the address.
  useEffect(() => {
    const { view, parameters } = parseRoute(location.hash);
    if (location.hash !== '') replaceParameters(view, parameters);
  }, [metric]);
  useEffect(() => {
    // Of the event: a view may have put its state into the address before the event arrived.
    const follow = ({ newURL }: HashChangeEvent) => {
      const next = parseRoute(new URL(newURL).hash);
      followMetric(next.parameters);
      setRoute(next);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** Puts the state of a view into the address without a new entry in the history. */
export function replaceParameters(view: View, parameters: URLSearchParams): void {
  // The address may name another view already, whose event is still to come.
  if (parseRoute(location.hash).view !== view) return;
  history.replaceState(null, '', formatRoute({ view, parameters }));
}

export function goTo(view: View, parameters = new URLSearchParams()): void {
  location.hash = formatRoute({ view, parameters });
}
