import { useEffect, useState } from 'preact/hooks';
import { type Checks, readChecks } from './api.ts';

const REFRESH_MS = 5000;

/** Whether the service and each part it stands on can serve now. */
export function ServiceState() {
  const [checks, setChecks] = useState<Checks | 'unreachable'>();

  useEffect(() => {
    const refresh = () => readChecks().then(setChecks, () => setChecks('unreachable'));
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  if (checks === undefined) return <section aria-busy="true">Asking the service…</section>;
  if (checks === 'unreachable') {
    return (
      <section role="alert">
        The service does not answer. It may be restarting; this page keeps asking.
      </section>
    );
  }
  return (
    <section>
      <h2>State</h2>
      <ul class="checks">
        {Object.entries(checks).map(([name, { ok, says }]) => (
          <li key={name} class={ok ? 'ok' : 'failed'}>
            <strong>{name}</strong> {ok ? 'ok' : (says ?? 'failed')}
          </li>
        ))}
      </ul>
    </section>
  );
}
