import { useState } from 'preact/hooks';
import { describeKey, type KeyDescription } from './api.ts';

/** Shows the permissions of an API key, or why the service rejects it. */
export function KeyCheck() {
  const [key, setKey] = useState('');
  const [answer, setAnswer] = useState<KeyDescription | string>();

  const check = async (event: Event) => {
    event.preventDefault();
    setAnswer(await describeKey(key.trim()).catch(() => 'The service does not respond.'));
  };

  return (
    <section>
      <h2>Check a key</h2>
      <form onSubmit={check}>
        <label>
          API key
          <input
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="ctr_…"
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Check</button>
      </form>
      {typeof answer === 'string' && <p role="alert">{answer}</p>}
      {typeof answer === 'object' && <KeyFacts facts={answer} />}
    </section>
  );
}

function KeyFacts({ facts }: { facts: KeyDescription }) {
  return (
    <dl>
      <dt>Name</dt>
      <dd>{facts.name}</dd>
      <dt>Scopes</dt>
      <dd>{facts.scopes.join(', ')}</dd>
      <dt>Expires</dt>
      <dd>{facts.expires ?? 'never'}</dd>
      <dt>Limits</dt>
      <dd>
        {facts.limits.requests_per_minute} requests per minute, {facts.limits.concurrent_requests} at once
      </dd>
    </dl>
  );
}
