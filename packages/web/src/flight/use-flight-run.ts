/** Runs flights and plans for the flight view. */
import type { ServiceStatus } from '@contrails/client';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import type { FlightInput } from '../track.ts';
import { computeFlight, loadCrossSection, planFlight } from './compute.ts';
import type { CrossSection } from './cross-section.ts';
import type { Planning } from './plan-panel.tsx';
import type { PlanSettings } from './plan-settings.ts';
import type { FlightResult } from './result.ts';
import { isOutside, weatherGap } from './weather-gap.ts';

export type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly name: string; readonly progress: number | undefined }
  | {
      readonly state: 'failed';
      /** In words for people, where the reason is known; the message of the service follows it. */
      readonly meaning: string | undefined;
      readonly message: string;
    };

/** Runs one flight at a time; another one, or leaving the view, cancels it. What fails leaves no result behind. */
export function useFlightRun(isBackground: boolean, status: ServiceStatus | undefined) {
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const [result, setResult] = useState<FlightResult>();
  const [section, setSection] = useState<CrossSection>();
  const running = useRef<AbortController>(undefined);
  const settings = useRef({ isBackground, status });
  settings.current = { isBackground, status };

  const cancel = useCallback(() => {
    running.current?.abort();
    setWork({ state: 'idle' });
  }, []);

  const clear = useCallback(() => {
    cancel();
    setResult(undefined);
    setSection(undefined);
  }, [cancel]);

  const run = useCallback(async (given: FlightInput) => {
    running.current?.abort();
    const own = new AbortController();
    const { signal } = own;
    running.current = own;
    const { name } = given;
    const fail = (meaning: string | undefined, message: string) => {
      setResult(undefined);
      setSection(undefined);
      setWork({ state: 'failed', meaning, message });
    };
    if (isOutside(given, settings.current.status)) {
      fail(weatherGap(given, settings.current.status), 'Choose another time, or add weather that covers it.');
      return;
    }
    setWork({ state: 'running', name, progress: undefined });
    try {
      const found = await computeFlight(given, {
        signal,
        onProgress: settings.current.isBackground
          ? (progress) => setWork({ state: 'running', name, progress })
          : undefined,
      });
      if (signal.aborted) return;
      setResult(found);
      setSection(undefined);
      setWork({ state: 'idle' });
      setSection(await loadCrossSection(found.points, signal));
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      fail(weatherGap(given, settings.current.status), messageOf(error));
    }
  }, []);

  useEffect(() => () => running.current?.abort(), []);
  return { work, result, section, run, cancel, clear };
}

const NOT_PLANNED: Planning = { isRunning: false, plan: undefined, message: undefined };

/** Compares levels of the result when asked to; another result starts again. */
export function usePlanning(result: FlightResult | undefined, settings: PlanSettings) {
  const [planning, setPlanning] = useState(NOT_PLANNED);
  const running = useRef<AbortController>(undefined);

  useEffect(() => {
    setPlanning(NOT_PLANNED);
    return () => running.current?.abort();
  }, [result]);

  const plan = useCallback(async () => {
    if (result === undefined) return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setPlanning((before) => ({ ...before, isRunning: true, message: undefined }));
    try {
      const found = await planFlight(result, settings, own.signal);
      if (!own.signal.aborted) setPlanning({ ...NOT_PLANNED, plan: found });
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) {
        setPlanning({ ...NOT_PLANNED, message: messageOf(error) });
      }
    }
  }, [result, settings]);

  return { planning, plan };
}
