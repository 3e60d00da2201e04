import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Catalogue, createCatalogue, type Database, type Product } from '../../src/database/index.ts';

/** What the catalogue promises on every form of the database. `open` returns one with the service's schema. */
export function describeCatalogue(name: string, open: () => Promise<Database>): void {
  describe(`catalogue on ${name}`, () => {
    let database: Database;
    let catalogue: Catalogue;
    beforeAll(async () => {
      database = await open();
      catalogue = createCatalogue(database);
    });
    afterAll(() => database.close());

    const product = (key: string, values: Partial<Product> = {}): Product => ({
      key,
      family: 'forecast',
      kind: 'grid',
      validTimeMs: null,
      referenceTimeMs: null,
      attributes: {},
      sha256: 'ab'.repeat(32),
      size: 10,
      createdMs: 1_767_225_600_000,
      manifest: {},
      ...values,
    });

    test('a product comes back as it was put', async () => {
      const full = product('a/full.nc', {
        validTimeMs: 5 * HOUR_MS,
        referenceTimeMs: -HOUR_MS,
        attributes: { level: 350, class: "d'Été", demo: true },
        size: 2 ** 40,
        manifest: { inputs: [{ name: 'met', sha256: 'cd' }], version: '1' },
      });
      await catalogue.put(full);
      expect(await catalogue.get('a/full.nc')).toEqual(full);
    });

    test('putting a key again replaces its entry', async () => {
      await catalogue.put(product('a/twice.nc', { sha256: 'one', size: 1 }));
      const second = product('a/twice.nc', { sha256: 'two', size: 2, kind: 'regions' });
      await catalogue.put(second);
      expect(await catalogue.get('a/twice.nc')).toEqual(second);
    });

    test('a removed product is gone, and removing it again returns false', async () => {
      await catalogue.put(product('a/gone.nc'));
      expect(await catalogue.remove('a/gone.nc')).toBe(true);
      expect(await catalogue.remove('a/gone.nc')).toBe(false);
      expect(await catalogue.get('a/gone.nc')).toBeUndefined();
    });

    test('products are found by family, kind, run and inclusive range, ascending, newest run first', async () => {
      const put = (key: string, validTimeMs: number | null, referenceTimeMs: number | null, kind = 'x') =>
        catalogue.put(product(key, { family: 'find', kind, validTimeMs, referenceTimeMs }));
      await put('f/2-old', 2 * HOUR_MS, 0);
      await put('f/1', HOUR_MS, HOUR_MS);
      await put('f/2-new', 2 * HOUR_MS, HOUR_MS);
      await put('f/3', 3 * HOUR_MS, null);
      await put('f/other', 2 * HOUR_MS, HOUR_MS, 'y');
      const keys = async (query: object) =>
        (await catalogue.find({ family: 'find', ...query })).map((found) => found.key);

      expect(await keys({ kind: 'x' })).toEqual(['f/1', 'f/2-new', 'f/2-old', 'f/3']);
      expect(await keys({ kind: 'x', fromMs: HOUR_MS, toMs: 2 * HOUR_MS })).toEqual([
        'f/1',
        'f/2-new',
        'f/2-old',
      ]);
      expect(await keys({ referenceTimeMs: HOUR_MS })).toEqual(['f/1', 'f/2-new', 'f/other']);
      expect(await keys({ kind: 'x', limit: 2 })).toEqual(['f/1', 'f/2-new']);
      expect(await catalogue.find({ family: 'nothing' })).toEqual([]);
    });

    test('in a transaction that fails nothing is put', async () => {
      const failing = database.transaction(async (tx) => {
        await createCatalogue(tx).put(product('a/undone.nc'));
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await catalogue.get('a/undone.nc')).toBeUndefined();
    });
  });
}
