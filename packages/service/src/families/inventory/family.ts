import { DAY_MS, isoDate } from '@contrails/runtime';
import type { Family } from '../../family.ts';
import {
  type InventoryConfig,
  type InventorySettings,
  inventorySection,
} from '../../inventory-store/config.ts';
import { inventoryMigrations } from './migrations.ts';

/** A day of synthetic traffic is small and is wanted soon; its evening has no reanalysis yet. */
const DEMO_SETTINGS = {
  schedule: '* * * * *',
  days_back: 1,
  met: 'forecast',
  shards: 1,
  memory_mib: 256,
} satisfies Partial<InventorySettings>;

/** The inventory: flights of a day from telemetry, their contrails, and tables of flights and minutes. */
export const inventoryFamily = {
  name: 'inventory',
  scopes: [
    { name: 'inventory', description: 'the summary of the contrail inventory', restricted: false },
    { name: 'inventory:segments', description: 'single flight segments of the inventory', restricted: true },
  ],
  tags: [{ name: 'inventory', description: 'Contrail climate impact of the flights of a day.' }],
  config: inventorySection,
  migrations: inventoryMigrations,
  routes: async (app, services, config) => {
    const [{ inventoryRoutes }, { serveReports }] = await Promise.all([
      import('./routes.ts'),
      import('./report-routes.ts'),
    ]);
    await inventoryRoutes(services, config)(app);
    serveReports(app, services);
  },
  jobKinds: async () => [
    ...(await import('./run/plan.ts')).inventoryKinds,
    (await import('./mrv-reports.ts')).reportKind,
  ],
  jobs: async (services, config) => [
    ...(await import('./run/plan.ts')).inventoryHandlers(services, config),
    (await import('./mrv-reports.ts')).reportHandler(services, config),
  ],
  maintenance: (services, config) => ({
    runs: async (signal) => (await import('./run/prune.ts')).pruneRuns(services, config, Date.now(), signal),
    'work files': async (signal) =>
      (await import('./run/prune.ts')).pruneWork(services, config, Date.now(), signal),
  }),
  demo: {
    settings: () => DEMO_SETTINGS,
    lines: (address, key) => [
      `inventory:  curl -H 'x-api-key: ${key}' "${address}/v1/inventory/completeness?date=${yesterday()}" (a few minutes from now)`,
    ],
  },
  schedules: async ({ jobs }, config) => (await import('./run/plan.ts')).scheduleInventory(jobs, config),
} as const satisfies Family<InventoryConfig>;

function yesterday(): string {
  return isoDate(Date.now() - DAY_MS);
}
