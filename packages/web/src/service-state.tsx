import { useEffect, useState } from 'preact/hooks';
import { type Readiness, readReadiness } from './api.ts';

const REFRESH_MS = 5000;

/** Whether the service and each part it stands on can serve now. */
export function ServiceState() {
  const [readiness, setReadiness] = useState<Readiness | 'unreachable'>();

  useEffect(() => {
    const refresh = () => readReadiness().then(setReadiness, () => setReadiness('unreachable'));
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  if (readiness === undefined) return <section aria-busy="true">Asking the service…</section>;
  if (readiness === 'unreachable') {
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
        {Object.entries(readiness.checks).map(([name, check]) => (
          <li key={name} class={check.status}>
            <strong>{name}</strong> {check.status}
            {check.detail && <span>: {check.detail}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
