import { useEffect, useState } from 'preact/hooks';
import { followMetric, useMetric, withMetric } from './metric.ts';

const VIEWS = ['live', 'map', 'flight', 'inventory', 'observations', 'skill', 'status'] as const;
export type View = (typeof VIEWS)[number];

/** Where the app is: a view, and what of it the address restores. Follows the `#`, so the service sees none of it. */
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

/** Chooses the view of an address that names none: the sky where there is one to see, else the map. False until it is chosen. */
export function useFirstView(hasKey: boolean, hasSky: () => Promise<boolean>): boolean {
  const [isChosen, setChosen] = useState(namesView);
  useEffect(() => {
    if (isChosen || !hasKey) return;
    const choose = (isLive: boolean) => {
      if (isLive && !namesView())
        location.replace(formatRoute({ view: 'live', parameters: new URLSearchParams() }));
      setChosen(true);
    };
    hasSky().then(choose, () => choose(false));
  }, [isChosen, hasKey, hasSky]);
  return isChosen || namesView();
}

function namesView(): boolean {
  return location.hash.length > 2;
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
