/** The thread that makes planetary albedos of stored radiation. */
import { serveAlbedo } from '../radiation/albedo.ts';
import { serveRequests } from '../threads/thread.ts';

serveRequests(serveAlbedo);
