import { useEffect, useState } from 'preact/hooks';
import { useSession } from './session.ts';

const SHOWN_MS = 3_000;

/** Shows when the service is away and when it is back. */
export function Banner() {
  const { isReachable, connection } = useSession();
  const [isBack, setBack] = useState(false);

  useEffect(() => {
    if (connection === 0) return;
    setBack(true);
    const timer = setTimeout(() => setBack(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [connection]);

  return (
    <div class="banner-place" role="status">
      {!isReachable && (
        <p class="banner away">
          The service does not respond. What you see stays; the page connects again by itself.
        </p>
      )}
      {isReachable && isBack && <p class="banner back">Connected again.</p>}
    </div>
  );
}
