import { useEffect, useState } from 'preact/hooks';
import { type Checks, readChecks } from './api.ts';

const REFRESH_MS = 5000;

/** Shows whether the service and everything it depends on is ready. */
export function ServiceState() {
  const [checks, setChecks] = useState<Checks | 'unreachable'>();

  useEffect(() => {
    const refresh = () => readChecks().then(setChecks, () => setChecks('unreachable'));
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  if (checks === undefined) return <section aria-busy="true">Loading status…</section>;
  if (checks === 'unreachable') {
    return (
      <section role="alert">
        The service does not respond. It may be restarting; this page retries every few seconds.
      </section>
    );
  }
  return (
    <section>
      <h2>Status</h2>
      <ul class="checks">
        {Object.entries(checks).map(([name, { ok, message }]) => (
          <li key={name} class={ok ? 'ok' : 'failed'}>
            <strong>{name}</strong> {ok ? 'ok' : (message ?? 'failed')}
          </li>
        ))}
      </ul>
    </section>
  );
}
