import { UsageError } from '@contrails/runtime/errors';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { createCatalogue } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { platformMigrations } from '../../src/migrations.ts';
import { openDatabase } from '../support/database.ts';

interface DatabaseAddress {
  readonly database: string;
  readonly directory: string;
}

/** What migrations promise on every form of the database. `newDatabase` returns the address of an empty one. */
export function describeMigrations(name: string, newDatabase: () => Promise<DatabaseAddress>): void {
  describe(`migrations on ${name}`, () => {
    test('processes that start at once make one schema, each step once', async () => {
      const at = await newDatabase();
      const program = new URL('./programs/migrate.ts', import.meta.url);
      await Promise.all(
        Array.from({ length: 3 }, () => runProgram(program, [at.database, at.directory]).finished),
      );
      const database = await openDatabase(at);
      const applied = await database.query<{ id: string }>('SELECT id FROM migrations ORDER BY id');
      await database.close();
      const expected = platformMigrations.filter(
        (step) => (step.dialect ?? database.dialect) === database.dialect,
      );
      expect(applied.map((row) => row.id)).toEqual(expected.map((step) => step.id).sort());
    });

    test('data survives opening again', async () => {
      const at = await newDatabase();
      const product = {
        key: 'forecast/a.nc',
        family: 'forecast',
        kind: 'grid',
        validTimeMs: 1,
        referenceTimeMs: null,
        attributes: { level: 350 },
        sha256: 'ab',
        size: 1,
        createdMs: 2,
        manifest: {},
      };
      const first = await openDatabase(at);
      await createCatalogue(first).put(product);
      await first.close();
      const second = await openDatabase(at);
      const found = await createCatalogue(second).get('forecast/a.nc');
      await second.close();
      expect(found).toEqual(product);
    });

    test('a database of a newer program is refused by the name of the unknown step', async () => {
      const at = await newDatabase();
      const newer = await openDatabase(at);
      await migrate(newer, [
        ...platformMigrations,
        { id: 'keys-999', statements: ['CREATE TABLE future (a TEXT)'] },
      ]);
      await newer.close();
      const opening = openDatabase(at);
      await expect(opening).rejects.toBeInstanceOf(UsageError);
      await expect(opening).rejects.toThrow(/newer version .*keys-999/);
    });

    test('a step that fails leaves nothing of itself nor of the steps before it', async () => {
      const database = await openDatabase(await newDatabase());
      const failing = migrate(database, [
        ...platformMigrations,
        { id: 'test-1', statements: ['CREATE TABLE half (a TEXT)'] },
        { id: 'test-2', statements: ['CREATE TABLE other (a TEXT)', 'CREATE GARBAGE'] },
      ]);
      await expect(failing).rejects.toThrow();
      await expect(database.query('SELECT * FROM half')).rejects.toThrow();
      expect(await database.query(`SELECT id FROM migrations WHERE id LIKE 'test-%'`)).toEqual([]);
      await database.close();
    });
  });
}
