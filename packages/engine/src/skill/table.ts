/** Rows of scores as records and as CSV with the columns of the public benchmark. */
import type { ObservationSource, ScoreRow } from './score.ts';

export type ScoreRecord = Readonly<Record<string, string | number | null>>;

/** What a threshold of the settings is called. */
export type ThresholdName = 'rhi_threshold' | 'probability_threshold';

const FIGURES: readonly [string, ObservationSource][] = [
  ['penalty', 'adsb'],
  ['iagos_hit_rate', 'iagos'],
  ['gruan_hit_rate', 'gruan'],
  ['contrailwatch_hit_rate', 'contrailwatch'],
];

export function scoreRecord(
  { forecast, ...row }: ScoreRow & { readonly forecast: string },
  threshold: ThresholdName,
): ScoreRecord {
  const given = row.setting.threshold ?? null;
  const figures = FIGURES.flatMap(([name, source]) => {
    const { value, interval } = row.figures[source];
    return [
      [name, value],
      [`${name}_lo`, interval?.[0] ?? null],
      [`${name}_hi`, interval?.[1] ?? null],
    ] as const;
  });
  return {
    region: row.region,
    season: row.season,
    forecast,
    horizontal_buffer: row.setting.buffer,
    probability_threshold: threshold === 'probability_threshold' ? given : null,
    ...Object.fromEntries(figures),
    rhi_threshold: threshold === 'rhi_threshold' ? given : null,
    shards: row.shards,
    days: row.days,
    unknown_cells: row.unknownCells,
  };
}

export function scoreCsv(records: readonly ScoreRecord[]): string {
  const names = Object.keys(records[0] ?? {});
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (record: ScoreRecord) => names.map((name) => quoted(String(record[name] ?? ''))).join(',');
  return `${[names.join(','), ...records.map(line)].join('\n')}\n`;
}

/** Records of a file of published scores; unknown columns are kept. */
export function readScoreCsv(text: string): ScoreRecord[] {
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(
      names.map((name, i) => {
        const cell = cells[i] ?? '';
        return [name, cell === '' ? null : Number.isNaN(Number(cell)) ? cell : Number(cell)];
      }),
    );
  });
}
