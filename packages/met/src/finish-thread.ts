/** The thread that brings what sources store into the form the models use. */
import { finishWeather } from './finish-weather.ts';
import { answerRequests } from './thread.ts';

answerRequests(finishWeather);
