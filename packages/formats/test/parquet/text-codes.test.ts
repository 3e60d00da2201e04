import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDuckDb } from '../../src/parquet/duckdb.ts';
import { TextCodes } from '../../src/parquet/text-codes.ts';

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('', 'twelve bytes', 'thirteen byte', 'é', 'A'),
);

test('every text of DuckDB has one code, whatever its length, and each code its text', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'text-codes-'));
  const db = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: join(directory, 'spill') });
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(texts.filter((text) => text.isWellFormed() && !text.includes('\0')))),
        fc.array(fc.option(fc.uuid())),
        async (some, ids) => {
          const length = Math.max(some.length, ids.length);
          const rows = Array.from({ length }, (_, k) => [some[k] ?? null, ids[k] ?? null] as const);
          const [ofTexts, ofIds] = [new TextCodes('text'), new TextCodes('uuid')];
          const [textCodes, idCodes] = [new Int32Array(length), new Int32Array(length)];
          let at = 0;
          await db.run('CREATE OR REPLACE TABLE rows (a VARCHAR, b UUID)');
          for (const row of rows) await db.run('INSERT INTO rows VALUES ($1, $2::UUID)', row);
          for await (const chunk of db.chunks('SELECT * FROM rows')) {
            chunk.codesTo(0, ofTexts, textCodes, at);
            chunk.codesTo(1, ofIds, idCodes, at);
            at += chunk.rowCount;
          }
          const read = (codes: TextCodes, column: Int32Array) =>
            Array.from(column, (code) => (code < 0 ? null : codes.text(code)));
          expect(read(ofTexts, textCodes)).toEqual(rows.map(([text]) => text));
          expect(read(ofIds, idCodes)).toEqual(rows.map(([, id]) => id));
          expect(ofTexts.size).toBe(new Set(rows.flatMap(([text]) => text ?? [])).size);
          const adopted = new TextCodes('text');
          const translated = adopted.translate(ofTexts);
          const again = textCodes.toReversed().map((code) => (code < 0 ? -1 : translated(code)));
          expect(read(adopted, again).reverse()).toEqual(rows.map(([text]) => text));
          const sorted = Array.from({ length: ofTexts.size }, (_, code) => code)
            .sort((a, b) => ofTexts.compare(a, b))
            .map((code) => ofTexts.text(code));
          expect(sorted).toEqual([...sorted].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
        },
      ),
      { numRuns: 30 },
    );
  } finally {
    db.close();
    rmSync(directory, { recursive: true });
  }
});

test('thousands of texts keep their codes while the lists grow', () => {
  const many = Array.from({ length: 20_000 }, (_, k) => `text ${k}`);
  const codes = new TextCodes('text');
  const column = new Int32Array(many.length);
  for (let turn = 0; turn < 2; turn++) {
    const words = new Int32Array(4 * many.length);
    for (const [k, text] of many.entries()) {
      words[4 * k] = text.length;
      new Uint8Array(words.buffer, 16 * k + 4, 12).set(Buffer.from(text));
    }
    codes.encode({ words, count: many.length, isValid: undefined, longText: () => '' }, column, 0);
  }
  expect(codes.size).toBe(many.length);
  expect(many.filter((text, k) => codes.text(column[k] as number) !== text)).toEqual([]);
});
