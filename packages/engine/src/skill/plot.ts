/** Scores as a picture: penalty against hit rate, a line for each source of observations. */
import type { ScoreRecord } from './table.ts';

const [WIDTH, HEIGHT] = [760, 520];
const FRAME = { left: 64, right: 200, top: 24, bottom: 96 };
const MAX_PENALTY = 0.28;
const LINES = [
  { name: 'IAGOS', column: 'iagos_hit_rate', colour: '#0b6bcb' },
  { name: 'GRUAN', column: 'gruan_hit_rate', colour: '#c2410c' },
  { name: 'ContrailWatch', column: 'contrailwatch_hit_rate', colour: '#15803d' },
] as const;

/** What stands under every table and plot: what may be compared, and which correction of humidity was used. */
export function scoreNotes(humidityScaling: string | undefined): string[] {
  return [
    'Published points are for 2024, other weather and other periods unless the period is the same.',
    `Only scores on the same times and levels may be called better or worse. Humidity scaling: ${humidityScaling ?? 'as the files of the forecast have it'}.`,
    'Bars and brackets are 95 % intervals over days.',
  ];
}

/** SVG of the rows of one region and season, with published points in grey. */
export function plotScores(
  records: readonly ScoreRecord[],
  published: readonly ScoreRecord[],
  title: string,
  humidityScaling: string | undefined,
): string {
  // Forecasts that penalise more than the published range widen the axis.
  const widest = Math.max(MAX_PENALTY, ...records.map(({ penalty }) => Number(penalty ?? 0)));
  const x = (penalty: number) => FRAME.left + (penalty / widest) * (WIDTH - FRAME.left - FRAME.right);
  const y = (rate: number) => HEIGHT - FRAME.bottom - rate * (HEIGHT - FRAME.top - FRAME.bottom);
  const settings = (record: ScoreRecord) =>
    record.probability_threshold ?? record.rhi_threshold ?? record.horizontal_buffer ?? '';
  const known = (list: readonly ScoreRecord[], column: string) =>
    list.filter((record) => record.penalty !== null && typeof record[column] === 'number');
  const line = ({ name, column, colour }: (typeof LINES)[number], index: number) => {
    const points = known(records, column);
    if (points.length === 0) return '';
    const at = (record: ScoreRecord) =>
      `${x(Number(record.penalty)).toFixed(1)},${y(Number(record[column])).toFixed(1)}`;
    const bars = points.map((record) => {
      const [cx, cy] = [x(Number(record.penalty)).toFixed(1), y(Number(record[column])).toFixed(1)];
      const ends = (of: string) => [record[`${of}_lo`], record[`${of}_hi`]] as const;
      const [low, high] = ends(column);
      const [left, right] = ends('penalty');
      const vertical =
        low === null || low === undefined
          ? ''
          : `<path d="M${cx} ${y(Number(low)).toFixed(1)}V${y(Number(high)).toFixed(1)}"/>`;
      const horizontal =
        left === null || left === undefined
          ? ''
          : `<path d="M${x(Number(left)).toFixed(1)} ${cy}H${x(Number(right)).toFixed(1)}"/>`;
      return `${vertical}${horizontal}<circle cx="${cx}" cy="${cy}" r="3.5"><title>${name}, ${settings(record)}: ${percent(record[column])} of contrails, ${percent(record.penalty)} of flying</title></circle>`;
    });
    const legendY = FRAME.top + 16 + 20 * index;
    return `<g stroke="${colour}" fill="${colour}"><polyline points="${points.map(at).join(' ')}" fill="none" stroke-width="1.5"/>${bars.join('')}<text x="${WIDTH - FRAME.right + 16}" y="${legendY}" stroke="none">${name}</text></g>`;
  };
  const grey = LINES.flatMap(({ column }) =>
    known(published, column).map(
      (record) =>
        `<circle cx="${x(Number(record.penalty)).toFixed(1)}" cy="${y(Number(record[column])).toFixed(1)}" r="3"><title>${escaped(String(record.forecast))}, ${settings(record)}</title></circle><text x="${(x(Number(record.penalty)) + 5).toFixed(1)}" y="${(y(Number(record[column])) + 3).toFixed(1)}" font-size="9">${settings(record)}</text>`,
    ),
  );
  const ticks = (count: number, to: number) => Array.from({ length: count + 1 }, (_, i) => (i * to) / count);
  const axes = [
    ...ticks(7, widest).map(
      (value) =>
        `<path d="M${x(value).toFixed(1)} ${y(0)}v5"/><text x="${x(value).toFixed(1)}" y="${y(0) + 18}" text-anchor="middle" stroke="none">${Math.round(100 * value)}</text>`,
    ),
    ...ticks(5, 1).map(
      (value) =>
        `<path d="M${x(0)} ${y(value).toFixed(1)}h-5"/><text x="${x(0) - 9}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end" stroke="none">${Math.round(100 * value)}</text>`,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${FRAME.left}" y="16" font-weight="600">${escaped(title)}</text>
<g stroke="#334155" fill="#334155"><path fill="none" d="M${x(0)} ${y(1)}V${y(0)}H${x(widest)}"/>${axes.join('')}<text stroke="none" x="${x(widest / 2)}" y="${y(0) + 38}" text-anchor="middle">flying inside the region [%]</text><text stroke="none" transform="translate(18 ${y(0.5)}) rotate(-90)" text-anchor="middle">contrails inside the region [%]</text></g>
<path d="M${x(0)} ${y(0)}L${x(widest).toFixed(1)} ${y(widest).toFixed(1)}" stroke="#94a3b8" stroke-dasharray="4 4"/><text x="${x(widest) + 4}" y="${y(widest).toFixed(1)}" fill="#64748b">random forecast</text>
<g fill="#94a3b8">${grey.join('')}</g>
${LINES.map(line).join('\n')}
${scoreNotes(humidityScaling)
  .map(
    (text, i) => `<text x="${FRAME.left}" y="${HEIGHT - 38 + 15 * i}" fill="#64748b">${escaped(text)}</text>`,
  )
  .join('')}
</svg>
`;
}

function percent(value: string | number | null | undefined): string {
  return `${(100 * Number(value)).toFixed(1)} %`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
