/**
 * Turns the tables of `data/*.csv` into typed modules under `src/data/`, one per table. Set-up runs it. A number column becomes a Float64Array (an empty cell NaN), a
 * text column a list of strings (an empty cell ''), names become camelCase.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface TableSource {
  readonly csv: string;
  /** Columns that hold text; all others hold numbers. */
  readonly text?: readonly string[];
}

export const TABLES: readonly TableSource[] = [
  { csv: 'humidity-quantiles-pressure-level.csv' },
  { csv: 'humidity-quantiles-model-level.csv' },
  { csv: 'humidity-quantiles-ensemble.csv' },
  { csv: 'model-levels-l137.csv' },
  { csv: 'aircraft-performance.csv', text: ['icao_type'] },
  { csv: 'aircraft-synonyms.csv', text: ['icao_type', 'performance_icao_type'] },
  { csv: 'aircraft-body-class.csv', text: ['icao_type', 'body_class'] },
  { csv: 'engines-gaseous.csv', text: ['engine_uid', 'superseded_by_engine_uid'] },
  { csv: 'engines-nvpm.csv', text: ['engine_uid'] },
  { csv: 'default-engines.csv', text: ['icao_type', 'engine_uid'] },
  { csv: 'load-factors-passenger.csv', text: ['date'] },
  { csv: 'load-factors-cargo.csv', text: ['origin_region', 'destination_region'] },
  { csv: 'load-factors-regions.csv', text: ['icao_airport_prefix', 'region'] },
  { csv: 'load-factors-seats.csv', text: ['icao_type'] },
];

const DATA = new URL('../data/', import.meta.url);
const MODULES = new URL('../src/data/', import.meta.url);

export function moduleUrl(table: TableSource): URL {
  return new URL(`${basename(table.csv, '.csv')}.ts`, MODULES);
}

/** The lines of a table, its header first. */
export function readTable({ csv }: TableSource): string[] {
  return readFileSync(new URL(csv, DATA), 'utf8').trimEnd().split('\n');
}

/** Source text of the module of one table. */
function renderTable(table: TableSource): string {
  const [header = '', ...lines] = readTable(table);
  const rows = lines.map((line) => line.split(','));
  const names = header.split(',');
  for (const text of table.text ?? []) {
    if (!names.includes(text)) throw new Error(`${table.csv} has no column ${text}`);
  }
  const columns = names.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const isText = table.text?.includes(name) ?? false;
    return `  ${camelCase(name)}: ${isText ? textColumn(cells) : numberColumn(cells, `${table.csv} ${name}`)},\n`;
  });
  return (
    `// Made by scripts/make-tables.ts from data/${table.csv}; do not edit.\n\n` +
    `export const ${camelCase(basename(table.csv, '.csv'))} = {\n  rowCount: ${rows.length},\n${columns.join('')}};\n`
  );
}

function camelCase(name: string): string {
  return name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
}

function numberColumn(cells: readonly string[], where: string): string {
  const numbers = cells.map((cell) => {
    if (cell === '') return 'Number.NaN';
    if (!Number.isFinite(Number(cell))) throw new Error(`${where} holds ${JSON.stringify(cell)}`);
    return String(Number(cell));
  });
  return `/* @__PURE__ */ new Float64Array([\n${wrap(numbers)}  ])`;
}

function textColumn(cells: readonly string[]): string {
  return `[\n${wrap(cells.map((cell) => `'${cell.replace(/['\\]/g, '\\$&')}'`))}  ] as readonly string[]`;
}

function wrap(items: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    if (line !== '' && line.length + item.length > 104) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? `${item},` : ` ${item},`;
  }
  lines.push(line);
  return lines.map((text) => `    ${text}\n`).join('');
}

if (import.meta.main) {
  mkdirSync(MODULES, { recursive: true });
  for (const table of TABLES) writeFileSync(moduleUrl(table), renderTable(table));
}
