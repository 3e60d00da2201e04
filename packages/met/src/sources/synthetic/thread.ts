/** The thread that makes synthetic weather in memory shared with the others. */
import { serveRequests } from '../../threads/thread.ts';
import { fill } from './atmosphere.ts';

serveRequests(fill);
