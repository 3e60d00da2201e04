/** Follows the stream of the service while the view is visible. */
import { ContrailsError } from '@contrails/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, service } from '../service.ts';
import { useSession } from '../shell/session.ts';
import { Sky } from './sky.ts';
import { type Box, boxFor } from './stream-box.ts';

/** How the view hangs on the service. */
export type Link =
  /** While it waits, the service asks to come back, as before its first cycle. */
  | { readonly state: 'connecting' | 'open' | 'paused' | 'waiting' | 'lost' }
  | { readonly state: 'refused'; readonly reason: 'disabled' | 'scope' | 'other'; readonly message: string };

const CONNECTING: Link = { state: 'connecting' };
const OPEN: Link = { state: 'open' };
const PAUSED: Link = { state: 'paused' };
const OFF: Link = { state: 'refused', reason: 'disabled', message: '' };
const WAITING: Link = { state: 'waiting' };
const LOST: Link = { state: 'lost' };
/** Events come in bursts; the page is drawn for all of them at once. */
const DRAW_PAUSE_MS = 200;
/** Events that wait are taken for so long before the page has a turn. */
const SLICE_MS = 10;

/** `version` grows with the sky. A tab that is hidden does not listen, and gets everything again when it is seen. */
export function useSky(): { readonly sky: Sky; readonly link: Link; readonly version: number } {
  const { key, connection, stage, status } = useSession();
  const isOff = status?.live === false;
  const [link, setLink] = useState<Link>(CONNECTING);
  const [version, setVersion] = useState(0);
  const sky = useRef<Sky>(undefined);
  sky.current ??= new Sky();
  const current = sky.current;
  const isVisible = useVisible();
  const [box, setBox] = useState<Box>();
  const aircraft = current.summary?.aircraft ?? 0;

  useEffect(() => {
    if (stage === undefined) return;
    const follow = () => setBox((before) => boxFor(stage.view(), aircraft, before));
    follow();
    return stage.onMove(follow);
  }, [stage, aircraft]);

  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    if (isOff || !isVisible) {
      setLink(isOff ? OFF : PAUSED);
      return;
    }
    const stopped = new AbortController();
    const { signal } = stopped;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setVersion((before) => before + 1);
    };
    const follow = async () => {
      const onReconnect = (reason: unknown) => setLink(linkAfter(reason));
      let sinceMs = performance.now();
      for await (const event of service.live.stream(box && { bbox: [...box] }, { signal, onReconnect })) {
        current.apply(event);
        setLink(OPEN);
        timer ??= setTimeout(draw, DRAW_PAUSE_MS);
        if (performance.now() - sinceMs < SLICE_MS) continue;
        await new Promise((resolve) => setTimeout(resolve));
        sinceMs = performance.now();
      }
    };
    // Another box does not mean that the connection is lost.
    setLink((before) => (before === OPEN ? before : CONNECTING));
    follow().catch((error: unknown) => {
      if (!signal.aborted) setLink(refusal(error));
    });
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [key, connection, isOff, isVisible, box, current]);

  return { sky: current, link, version };
}

function linkAfter(reason: unknown): Link {
  const isAsked = reason instanceof ContrailsError && reason.status === 503;
  return isAsked ? WAITING : LOST;
}

function refusal(error: unknown): Link {
  const message = messageOf(error);
  const { code, status } = error instanceof ContrailsError ? error : { code: '', status: undefined };
  if (code === 'live-disabled') return OFF;
  return { state: 'refused', reason: status === 403 ? 'scope' : 'other', message };
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const follow = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
  return isVisible;
}
