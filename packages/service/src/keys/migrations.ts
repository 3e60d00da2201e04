import type { Migration } from '../database/migrate.ts';

export const keysMigrations: readonly Migration[] = [];
