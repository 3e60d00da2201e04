/** The thread that converts what sources store into the form the models use. */
import { serveRequests } from '../threads/thread.ts';
import { finishWeather } from './finish-weather.ts';

serveRequests(finishWeather);
