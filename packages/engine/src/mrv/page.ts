/** The report as one page that needs no network and no script, and prints on A4. */
import type { FlightRow } from './flight-row.ts';
import { PROVENANCE_GROUPS } from './inputs.ts';
import { disclaimer, LIMITATIONS } from './methods.ts';
import type { Summary } from './summary.ts';

const LARGEST = 20;

/** `efficacy`: whether figures count it; tables have both. */
export function reportPage(
  summary: Summary,
  rows: readonly FlightRow[],
  version: string,
  efficacy = true,
): string {
  const { flights, totals } = summary;
  const shown = efficacy ? WITH_EFFICACY : WITHOUT_EFFICACY;
  const sentence = disclaimer(version);
  const [months, types, reasons] = [
    summary.by_month,
    summary.by_aircraft_type,
    { ...flights.out_of_scope, ...flights.not_computed },
  ].map((groups) => Object.keys(groups).length) as [number, number, number];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Non-CO2 report of ${escaped(summary.operator)}, ${summary.from} to ${summary.to}</title>
<style>${styleOf(sentence)}</style>
</head>
<body>
<main>
<h1>Non-CO2 report of ${escaped(summary.operator)}</h1>
<p>${summary.from} to ${summary.to}, scope ${escaped(summary.scope)}. ${flights.reported} of ${flights.supplied + flights.telemetry} flights are reported.</p>
<p class="notice">${escaped(sentence)}</p>
${section('Totals', 0, `${totalsTable(totals)}\n${NOX_NOTE}\n${efficacyFigure(totals)}`)}
${section('By month', 3 * months, `${monthsFigure(summary, shown)}\n${sumsTable('Month', summary.by_month)}`)}
${section('By aircraft type', types, sumsTable('Type', summary.by_aircraft_type))}
${section('Concentration of contrails', 0, lorenzFigure(rows, shown))}
${section('Where data come from', 0, `${provenanceFigure(summary)}\n${provenanceTable(summary)}`)}
${section("What the operator's data change", 0, `${effectsFigure(summary)}\n<p>${EFFECTS_NOTE}</p>`)}
${section('Completeness', reasons, completenessTable(summary))}
${section('Largest flights', LARGEST, largestTable(rows))}
<h2>What to know</h2>
<ul>${[...summary.notes, ...LIMITATIONS].map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>
<p class="notice">${escaped(sentence)}</p>
</main>
</body>
</html>
`;
}

const EFFECTS_NOTE =
  "Non-CO2 CO2e (GWP100, with efficacy) as reported minus the same flights without the operator's values of a group. Positive: the values raise the number.";

/** Rows that fit on a page with their heading. */
const MAX_SHORT = 34;

/** A table that fits on a page is not divided; a longer one begins on its own page, and repeats its heading. */
function section(heading: string, rowCount: number, table: string): string {
  return `<section class="${rowCount <= MAX_SHORT ? 'short' : 'long'}"><h2>${heading}</h2>\n${table}</section>`;
}

/** End of the names of columns, and how figures call it. */
interface Shown {
  readonly suffix: string;
  readonly label: string;
}

const WITH_EFFICACY: Shown = { suffix: '', label: 'with efficacy' };
const WITHOUT_EFFICACY: Shown = { suffix: '_no_efficacy', label: 'without efficacy' };

/** `sentence` stands at the foot of every printed page. */
const styleOf = (sentence: string): string => `
@page { size: A4; margin: 15mm 15mm 20mm; @bottom-left { content: ${JSON.stringify(sentence)}; font: 7.5pt system-ui, sans-serif; width: 85% } @bottom-right { content: counter(page) " of " counter(pages); font: 7.5pt system-ui, sans-serif } }
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0 }
main { max-width: 180mm; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2rem; break-after: avoid }
table { border-collapse: collapse; width: 100%; font-size: 0.85rem; margin: 0.5rem 0 }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0 }
th, td { border-bottom: 1px solid #bbb; padding: 0.2rem 0.4rem; text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left }
thead { display: table-header-group } tr, figure, .short { break-inside: avoid }
thead tr:first-child th[colspan] { text-align: center }
.long { break-before: page }
figure { margin: 0.5rem 0 } figcaption { font-size: 0.85rem }
svg { width: 100%; height: auto } svg text { font: 11px system-ui, sans-serif; fill: #1a1a1a }
.note { font-size: 0.8rem; margin: 0.25rem 0 }
.notice { border: 2px solid #8a4b00; padding: 0.5rem; background: #fff8ec }
@media print { main { padding: 0; max-width: none } html { font-size: 12px } body { font-size: 12px } p.notice:last-child { display: none } }
`;

const COLOURS = { co2: '#4a5568', contrail: '#b45309', nox: '#1d4ed8', h2o: '#047857' } as const;

function totalsTable(totals: Summary['totals']): string {
  const species = [
    ['Contrails', 'contrail'],
    ['NOx', 'nox'],
    ['Water vapour', 'h2o'],
    ['All non-CO2', 'non_co2'],
  ] as const;
  const years = [20, 50, 100] as const;
  const cells = (name: string, suffix: string) =>
    years.map((horizon) => `<td>${tonnes(totals[`${name}_co2e${horizon}${suffix}_kg`])}</td>`).join('');
  return `<p>Fuel ${tonnes(totals.fuel_burn_kg)} t, CO2 ${tonnes(totals.co2_kg)} t, NOx ${tonnes(totals.nox_kg)} t, distance ${number(totals.distance_km)} km, with contrails ${number(totals.contrail_km)} km.</p>
<table><caption>CO2 equivalents as GWP, in tonnes</caption>
<thead><tr><th scope="col" rowspan="2">Species</th><th scope="colgroup" colspan="3">With efficacy</th><th scope="colgroup" colspan="3">Without efficacy</th></tr><tr>${[...years, ...years].map((horizon) => `<th scope="col">${horizon} years</th>`).join('')}</tr></thead>
<tbody>${species.map(([label, name]) => `<tr><th scope="row">${label}</th>${cells(name, '')}${cells(name, '_no_efficacy')}</tr>`).join('\n')}</tbody></table>`;
}

/** Goes with each NOx figure. */
const NOX_NOTE = `<p class="note">${LIMITATIONS[0]}</p>`;

function efficacyFigure(totals: Summary['totals']): string {
  const title = 'Non-CO2 as GWP with and without efficacy';
  const lines = [20, 50, 100].flatMap((years) =>
    [WITH_EFFICACY, WITHOUT_EFFICACY].map(({ suffix, label }) => ({
      label: `${years} years, ${label}`,
      parts: (['contrail', 'nox', 'h2o'] as const).map((name) => ({
        value: totals[`${name}_co2e${years}${suffix}_kg`] ?? 0,
        colour: COLOURS[name],
      })),
    })),
  );
  return figure(title, bars(title, lines), 'Brown: contrails; blue: NOx; green: water vapour.');
}

function sumsTable(heading: string, groups: Summary['by_month']): string {
  const rows = Object.entries(groups).map(
    ([key, sums]) =>
      `<tr><th scope="row">${escaped(key)}</th><td>${sums.flights ?? 0}</td><td>${tonnes(sums.co2_kg)}</td><td>${tonnes(sums.contrail_co2e100_kg)}</td><td>${tonnes(sums.nox_co2e100_kg)}</td><td>${tonnes(sums.h2o_co2e100_kg)}</td><td>${tonnes(sums.non_co2_co2e100_kg)}</td></tr>`,
  );
  return `<table><caption>Tonnes of CO2 and of CO2e (GWP100, with efficacy)</caption><thead><tr><th scope="col">${heading}</th><th scope="col">Flights</th><th scope="col">CO2</th><th scope="col">Contrails</th><th scope="col">NOx</th><th scope="col">Water vapour</th><th scope="col">Non-CO2</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>
${NOX_NOTE}`;
}

/** Horizontal bars from a common zero, which negative values reach to the left of. */
function bars(
  title: string,
  lines: readonly {
    readonly label: string;
    readonly parts: readonly { readonly value: number; readonly colour: string }[];
  }[],
): string {
  const ends = lines.flatMap(({ parts }) => {
    const sum = (isIn: (value: number) => boolean) =>
      parts.reduce((all, { value }) => all + (isIn(value) ? value : 0), 0);
    return [sum((value) => value < 0), sum((value) => value > 0)];
  });
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const scale = high === low ? 0 : 430 / (high - low);
  const x = (value: number) => 160 + (value - low) * scale;
  const drawn = lines.map(({ label, parts }, row) => {
    let [negative, positive] = [0, 0];
    const boxes = parts.map(({ value, colour }) => {
      const start = value < 0 ? negative : positive;
      if (value < 0) negative += value;
      else positive += value;
      const [from, to] = [x(Math.min(start, start + value)), x(Math.max(start, start + value))];
      return `<rect x="${fixed(from)}" y="${row * 22 + 4}" width="${fixed(to - from)}" height="14" fill="${colour}"/>`;
    });
    return `<text x="0" y="${row * 22 + 15}">${escaped(label)}</text>${boxes.join('')}`;
  });
  const height = lines.length * 22 + 6;
  return `<svg viewBox="0 0 600 ${height}" role="img" aria-label="${escaped(title)}"><line x1="${fixed(x(0))}" y1="0" x2="${fixed(x(0))}" y2="${height}" stroke="#1a1a1a"/>${drawn.join('')}</svg>`;
}

function monthsFigure({ by_month }: Summary, { suffix, label: kind }: Shown): string {
  const title = `CO2 and non-CO2 by month (GWP100, ${kind})`;
  const lines = Object.entries(by_month).map(([label, sums]) => ({
    label,
    parts: [
      { value: sums.co2_kg ?? 0, colour: COLOURS.co2 },
      { value: sums[`contrail_co2e100${suffix}_kg`] ?? 0, colour: COLOURS.contrail },
      { value: sums[`nox_co2e100${suffix}_kg`] ?? 0, colour: COLOURS.nox },
      { value: sums[`h2o_co2e100${suffix}_kg`] ?? 0, colour: COLOURS.h2o },
    ],
  }));
  return figure(title, bars(title, lines), 'Grey: CO2; brown: contrails; blue: NOx; green: water vapour.');
}

function provenanceFigure({ provenance }: Summary): string {
  const title = 'Flights by the origin of their data';
  const lines = PROVENANCE_GROUPS.map((group) => ({
    label: words(group),
    parts: [
      { value: provenance[group]?.primary ?? 0, colour: COLOURS.h2o },
      { value: provenance[group]?.secondary ?? 0, colour: COLOURS.nox },
      { value: provenance[group]?.default ?? 0, colour: COLOURS.contrail },
    ],
  }));
  return figure(title, bars(title, lines), 'Green: primary; blue: secondary; brown: default.');
}

function provenanceTable({ provenance }: Summary): string {
  const rows = PROVENANCE_GROUPS.map((group) => {
    const { primary = 0, secondary = 0, default: standard = 0 } = provenance[group] ?? {};
    return `<tr><th scope="row">${words(group)}</th><td>${primary}</td><td>${secondary}</td><td>${standard}</td></tr>`;
  });
  return `<table><caption>Flights by the origin of their data</caption><thead><tr><th scope="col">Group</th><th scope="col">Primary</th><th scope="col">Secondary</th><th scope="col">Default</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function effectsFigure({ effects }: Summary): string {
  const title = "Effect of the operator's data on non-CO2 CO2e";
  const lines = Object.entries(effects).map(([group, kg]) => ({
    label: words(group),
    parts: [{ value: kg, colour: COLOURS.contrail }],
  }));
  const shown = Object.entries(effects).map(([group, kg]) => `${words(group)} ${tonnes(kg)} t`);
  return figure(title, bars(title, lines), `${shown.join('; ')}.`);
}

/** How much of the contrail CO2e the flights with the most of it have. */
function lorenzFigure(rows: readonly FlightRow[], { suffix, label }: Shown): string {
  const values = rows
    .map((row) => Math.max(Number(row[`contrail_co2e100${suffix}_kg`] ?? 0), 0))
    .sort((a, b) => b - a);
  const all = values.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  const steps = Math.max(1, Math.ceil(values.length / 200));
  const points = ['40,240'];
  values.forEach((value, i) => {
    sum += value;
    if ((i + 1) % steps !== 0 && i + 1 !== values.length) return;
    points.push(
      `${fixed(40 + (520 * (i + 1)) / values.length)},${fixed(240 - (all === 0 ? 0 : (220 * sum) / all))}`,
    );
  });
  const tenth = values.slice(0, Math.ceil(values.length / 10)).reduce((part, value) => part + value, 0);
  const share = all === 0 ? 0 : Math.round((100 * tenth) / all);
  const title = 'Share of warming contrail CO2e by share of flights, those with the most first';
  const axes =
    '<path d="M40 20V240H560" fill="none" stroke="#1a1a1a"/><text x="40" y="256">0 % of flights</text><text x="500" y="256">100 %</text><text x="0" y="28">100 %</text>';
  const svg = `<svg viewBox="0 0 600 262" role="img" aria-label="${title}">${axes}<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS.contrail}" stroke-width="2"/></svg>`;
  return figure(
    title,
    svg,
    `A tenth of the flights has ${share} % of the warming contrail CO2e (GWP100, ${label}).`,
  );
}

function completenessTable({ flights }: Summary): string {
  const lines: readonly (readonly [string, number])[] = [
    ['supplied by the operator', flights.supplied],
    ['of the telemetry, not in the table of the operator', flights.telemetry],
    ['reported', flights.reported],
    ...Object.entries(flights.out_of_scope).map(
      ([reason, count]) => [`out of scope: ${reason}`, count] as const,
    ),
    ...Object.entries(flights.not_computed).map(
      ([reason, count]) => [`not computed: ${reason}`, count] as const,
    ),
  ];
  return `<table><caption>Every flight of the period</caption><thead><tr><th scope="col">Flights</th><th scope="col">Number</th></tr></thead><tbody>${lines.map(([label, count]) => `<tr><th scope="row">${escaped(label)}</th><td>${count}</td></tr>`).join('\n')}</tbody></table>`;
}

function largestTable(rows: readonly FlightRow[]): string {
  const size = (row: FlightRow) => Math.abs(Number(row.non_co2_co2e100_kg ?? 0));
  const largest = [...rows].sort((a, b) => size(b) - size(a)).slice(0, LARGEST);
  const cells = largest.map(
    (row) =>
      `<tr><th scope="row">${escaped(String(row.flight_key))}</th><td>${escaped(String(row.departure_airport))}–${escaped(String(row.arrival_airport))}</td><td>${escaped(String(row.aircraft_type))}</td><td>${tonnes(row.co2_kg)}</td><td>${tonnes(row.contrail_co2e100_kg)}</td><td>${tonnes(row.non_co2_co2e100_kg)}</td><td>${tonnes(row.non_co2_co2e100_no_efficacy_kg)}</td></tr>`,
  );
  return `<table><caption>The ${largest.length} flights with the largest non-CO2 CO2e (GWP100), in tonnes</caption><thead><tr><th scope="col">Flight</th><th scope="col">Route</th><th scope="col">Type</th><th scope="col">CO2</th><th scope="col">Contrails</th><th scope="col">Non-CO2</th><th scope="col">No efficacy</th></tr></thead><tbody>${cells.join('\n')}</tbody></table>`;
}

function figure(title: string, svg: string, caption: string): string {
  return `<figure>${svg}<figcaption>${escaped(title)}. ${escaped(caption)}</figcaption></figure>`;
}

const tonnes = (kg: unknown): string => number(Number(kg ?? 0) / 1000);

/** Three decimals: every number of the page is one of the files, in tonnes. */
function number(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en-US', {
    minimumFractionDigits: 3,
    maximumFractionDigits: 3,
    useGrouping: false,
  });
}

const fixed = (value: number): string => value.toFixed(2);
const words = (name: string): string => name.replaceAll('_', ' ');

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
