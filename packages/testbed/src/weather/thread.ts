/** The thread that makes synthetic weather in memory shared with the others. */
import { serveRequests } from '@contrails/met/source-thread';
import { fill } from './atmosphere.ts';

serveRequests(fill);
