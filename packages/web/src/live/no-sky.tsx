import type { LiveSummary } from '@contrails/client';
import type { Sky } from './sky.ts';
import { catchUpText } from './sky-text.ts';
import type { Link } from './use-sky.ts';

const CONFIGURATION = `telemetry:
  sources:
    - { name: roof, kind: poll, url: http://receiver/data/aircraft.json }
live:
  enabled: true`;

interface NoSkyProps {
  readonly link: Link;
  readonly summary: LiveSummary | undefined;
  /** Feeds that have not reached now. */
  readonly behind: ReturnType<Sky['catchingUp']>;
}

/** Why there is nothing to see, and what to do about it; nothing where there is a sky. */
export function NoSky({ link, summary, behind }: NoSkyProps) {
  if (link.state === 'waiting' && summary === undefined) {
    return (
      <p class="notice" role="status">
        The first picture of the sky is being computed; it appears here by itself.
      </p>
    );
  }
  if (link.state === 'refused') {
    return (
      <section class="notice" aria-label="No sky">
        {link.reason === 'disabled' && <Connect title="This service does not follow aircraft." />}
        {link.reason === 'scope' && (
          <p>
            Your key does not have the scope <code>live</code>. Positions of aircraft are for keys that have
            it: enter another one under “Key”.
          </p>
        )}
        {link.reason === 'other' && <p>{link.message}</p>}
      </section>
    );
  }
  if (summary?.aircraft === 0 && behind.length > 0) {
    return (
      <div class="notice" role="status">
        {behind.map((feed) => (
          <p key={feed.name}>{catchUpText(feed)}</p>
        ))}
      </div>
    );
  }
  if (summary === undefined || summary.feeds.length > 0 || summary.aircraft > 0) return null;
  return (
    <section class="notice" aria-label="No feed">
      <Connect title="No feed reports aircraft." />
    </section>
  );
}

function Connect({ title }: { readonly title: string }) {
  return (
    <>
      <h2>{title}</h2>
      <p>Name a receiver or another feed in the configuration and start the service again:</p>
      <pre>{CONFIGURATION}</pre>
      <p>
        The manual has more: <a href="docs/live">live contrails</a>,{' '}
        <a href="docs/tutorial-receiver">your receiver</a>.
      </p>
    </>
  );
}
