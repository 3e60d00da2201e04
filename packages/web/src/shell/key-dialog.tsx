import { createClient, type KeyInfo } from '@contrails/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, service } from '../service.ts';
import { forgetKey, keepKey, readKey } from '../session-key.ts';

interface KeyDialogProps {
  /** There is no key yet, so nothing else can be shown. */
  readonly isRequired: boolean;
  readonly onClose: () => void;
  readonly onKey: (isPresent: boolean) => void;
}

/** Shows what the key may do, and takes another one. */
export function KeyDialog({ isRequired, onClose, onKey }: KeyDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [facts, setFacts] = useState<KeyInfo>();
  const [error, setError] = useState<string>();

  useEffect(() => {
    dialog.current?.showModal();
    if (readKey() !== undefined) {
      service.auth.validateKey().then(setFacts, (problem: unknown) => setError(messageOf(problem)));
    }
  }, []);

  const use = async (event: Event) => {
    event.preventDefault();
    const key = text.trim();
    try {
      await createClient({ apiKey: key }).auth.validateKey();
      keepKey(key);
      onKey(true);
    } catch (problem) {
      setError(messageOf(problem));
    }
  };

  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onClose={onClose}>
      <h2 id="key-title">API key</h2>
      {isRequired && (
        <p>This service needs a key. Ask its operator for one: `contrails keys create` makes it.</p>
      )}
      {facts !== undefined && (
        <dl class="facts">
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
      )}
      <form onSubmit={use}>
        <label>
          {facts === undefined ? 'Key' : 'Another key'}
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="ctr_…"
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Use this key
        </button>
      </form>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <p class="hint">The key stays in this tab and is forgotten when you close it.</p>
      <footer>
        {facts !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              forgetKey();
              onKey(false);
            }}
          >
            Forget the key
          </button>
        )}
        {!isRequired && (
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        )}
      </footer>
    </dialog>
  );
}
