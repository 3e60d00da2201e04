/** A worker of the inventory that runs until it is killed: `inventory-worker.ts DATA [DATABASE]`. */

import { createLog } from '@contrails/platform/log';
import { inventoryHandlers } from '../../../src/families/inventory/run/plan.ts';
import { openInventory } from '../../families/inventory/support.ts';

const [, , data = '', database = 'embedded'] = process.argv;
const { services, config } = await openInventory({ data, database });
services.jobs.work(inventoryHandlers(services, config), { concurrency: 1, log: createLog(config.log) });
process.stdout.write('ready\n');
