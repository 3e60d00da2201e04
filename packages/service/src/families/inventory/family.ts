import type { Family } from '../../family.ts';
import { type InventoryConfig, inventorySection } from './config.ts';
import { inventoryMigrations } from './migrations.ts';

/** The inventory: flights of a day from telemetry, their contrails, and tables of flights and minutes. */
export const inventoryFamily = {
  name: 'inventory',
  config: inventorySection,
  migrations: inventoryMigrations,
  routes: async (app, services) => (await import('./routes.ts')).inventoryRoutes(services)(app),
  jobs: async (services, config) => (await import('./run/plan.ts')).inventoryHandlers(services, config),
  schedules: async ({ jobs }, config) => (await import('./run/plan.ts')).scheduleInventory(jobs, config),
} as const satisfies Family<InventoryConfig>;
