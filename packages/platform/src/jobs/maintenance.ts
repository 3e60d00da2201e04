import { Type } from 'typebox';
import { defineJob, handleJob } from './define.ts';
import type { JobHandler } from './jobs.ts';

/** Removes what has served its time; returns how much. */
export type MaintenanceTask = (signal: AbortSignal) => Promise<number>;

/** Scheduled hourly by every worker: `jobs.schedule('maintenance', '7 * * * *', maintenanceKind, {})`. */
export const maintenanceKind = defineJob({ name: 'maintenance', payload: Type.Object({}), attempts: 3 });

/** The maintenance job; each room that leaves things behind adds its task. */
export function maintenanceJob(tasks: Readonly<Record<string, MaintenanceTask>>): JobHandler {
  return handleJob(maintenanceKind, async (_, { signal, progress }) => {
    const removed: Record<string, number> = {};
    const names = Object.keys(tasks);
    for (const [index, name] of names.entries()) {
      signal.throwIfAborted();
      progress(index / names.length, name);
      removed[name] = (await tasks[name]?.(signal)) ?? 0;
    }
    return removed;
  });
}
