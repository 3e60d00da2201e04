import type { Database } from '@contrails/platform/database/database';
import type { Store } from '@contrails/platform/store/store';

/** What telemetry is stored in. */
export interface TelemetryServices {
  readonly database: Database;
  readonly store: Store;
}
