/** Searches routes for the flight view, and computes the one that is selected. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { computeFlight, loadCrossSection, searchRoutes } from './compute.ts';
import type { CrossSection } from './cross-section.ts';
import type { PlanSettings } from './plan-settings.ts';
import type { FlightResult } from './result.ts';
import type { RouteSearch } from './route-panel.tsx';
import { optionFlight } from './routes.ts';

const NOT_SEARCHED: RouteSearch = {
  isRunning: false,
  routes: undefined,
  selected: undefined,
  message: undefined,
};

/** The selected route as a separate flight. */
export interface ShownRoute {
  readonly id: string;
  readonly result: FlightResult;
  readonly section: CrossSection | undefined;
}

export function useRouteSearch(result: FlightResult | undefined, settings: PlanSettings) {
  const [search, setSearch] = useState(NOT_SEARCHED);
  const [shown, setShown] = useState<ShownRoute>();
  const running = useRef<AbortController>(undefined);

  useEffect(() => {
    setSearch(NOT_SEARCHED);
    return () => running.current?.abort();
  }, [result]);

  const start = useCallback(async () => {
    if (result === undefined) return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setSearch((before) => ({ ...before, isRunning: true, message: undefined }));
    try {
      const routes = await searchRoutes(result, settings, own.signal);
      if (!own.signal.aborted) setSearch({ ...NOT_SEARCHED, routes, selected: routes.chosen?.id });
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) setSearch({ ...NOT_SEARCHED, message: messageOf(error) });
    }
  }, [result, settings]);

  const cancel = useCallback(() => {
    running.current?.abort();
    setSearch((before) => ({ ...before, isRunning: false }));
  }, []);

  const select = useCallback((selected: string | undefined) => {
    setSearch((before) => ({ ...before, selected, message: undefined }));
  }, []);

  const { selected, routes } = search;
  useEffect(() => {
    const option = routes?.options.find(({ id }) => id === selected);
    setShown((before) => (before?.id === option?.id ? before : undefined));
    if (option === undefined || result === undefined) return;
    const own = new AbortController();
    const { signal } = own;
    const show = async () => {
      const found = await computeFlight(optionFlight(result.flight, option), { signal });
      if (signal.aborted) return;
      setShown({ id: option.id, result: found, section: undefined });
      const section = await loadCrossSection(found.points, signal);
      if (!signal.aborted) setShown({ id: option.id, result: found, section });
    };
    show().catch((error: unknown) => {
      if (!signal.aborted && !isAbort(error))
        setSearch((before) => ({ ...before, message: messageOf(error) }));
    });
    return () => own.abort();
  }, [routes, selected, result]);

  return { search, shown, start, cancel, select };
}
