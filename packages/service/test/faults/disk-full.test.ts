import { describeDiskFull } from './disk-full.contract.ts';

await describeDiskFull('a full disk with store and embedded database on it', async () => 'embedded');
