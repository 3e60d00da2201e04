import { parentPort, workerData } from 'node:worker_threads';
import { checkIntegrity, type IntegrityWork } from './integrity.ts';

parentPort?.postMessage(checkIntegrity(workerData as IntegrityWork));
