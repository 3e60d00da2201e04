/** A worker of the inventory that runs until it is killed: `inventory-worker.ts DATA`. */
import { inventoryHandlers } from '../../../src/families/inventory/run/plan.ts';
import { createLog } from '../../../src/log.ts';
import { openInventory } from '../../families/inventory/support.ts';

const [, , data = ''] = process.argv;
const { services, config } = await openInventory({ data });
services.jobs.work(inventoryHandlers(services, config), { concurrency: 2, log: createLog(config.log) });
process.stdout.write('ready\n');
