import { readFile } from 'node:fs/promises';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import { PLANNING_OPTIONS, type PlanOptionEntry } from '@contrails/engine/planning/option-table';
import type { PlanKind } from '@contrails/engine/planning/options';
import { FIGURE_FIELDS, type FigureName, nameOf as publicName } from '@contrails/physics/fields';
import { type Command, Option } from 'commander';
import { configureWeather } from '../configure.ts';
import { explained, withPlanningEngine } from '../engine.ts';
import { byParameter, example, optionOf, parameterOption, parametersHelp, weatherOptions } from '../flags.ts';
import { attributeOptions, flightFileOptions, splitFlags } from '../flight-files.ts';
import { print, say, table } from '../output.ts';
import { writeResult } from '../write-result.ts';
import { definePlanRoute, type MetricsVerdict, verdictText } from './plan-route.ts';

const KINDS: Readonly<Record<PlanKind, string>> = {
  levels: 'what every other level would have cost',
  profile: 'the cheapest sequence of levels, verified by the full models',
};

/** Options that are not parameters of the endpoint. */
export interface PlanOptions {
  readonly json?: boolean;
  readonly output?: string;
  readonly demo?: boolean;
  readonly avoid?: string;
  readonly geojson?: string;
  readonly param?: readonly string[];
}

export function definePlan(program: Command): void {
  const group = program
    .command('plan')
    .description('levels and profiles of flights, without a server: what POST /v1/planning/{kind} returns');
  example(group, 'contrails plan levels flight.json');
  for (const [kind, description] of Object.entries(KINDS)) defineKind(group, kind as PlanKind, description);
  definePlanRoute(group);
}

function defineKind(parent: Command, kind: PlanKind, description: string): void {
  const command = parent
    .command(kind)
    .description(description)
    .argument(
      '<files...>',
      'flight or fleet as JSON, one on each line (NDJSON), a table of waypoints (CSV), or flight files of any known format; - reads standard input',
    );
  for (const [name, entry] of Object.entries<PlanOptionEntry>(PLANNING_OPTIONS)) {
    if (entry.kind === undefined || entry.kind === kind) command.addOption(optionOf(name, entry));
  }
  command
    .option('--json', 'JSON on a terminal too, where a table is written otherwise')
    .addOption(new Option('-o, --output <file>', 'where the JSON is written'));
  if (kind === 'profile') {
    command
      .addOption(new Option('--avoid <file>', 'boxes to avoid: a list as JSON'))
      .addOption(new Option('--geojson <file>', 'where the chosen track is written'));
  }
  command.addOption(parameterOption());
  attributeOptions(flightFileOptions(command));
  weatherOptions(command).action((files: string[], options: Record<string, string> & PlanOptions) =>
    runPlan(command, kind, files, options),
  );
  example(
    command,
    `contrails plan ${kind} flight.json --demo`,
    `contrails plan ${kind} flight.json --carbon-price 100 --uncertainty 50 -o plan.json`,
  );
  command.addHelpText('after', parametersHelp('cocip'));
}

/** Plans the flights of files and writes the answers. */
export async function runPlan(
  command: Command,
  kind: PlanKind,
  files: readonly string[],
  { json, output, demo, avoid, geojson, param, ...flags }: Record<string, string> & PlanOptions,
): Promise<void> {
  const config = await configureWeather(command, demo);
  const [{ readPlanFlags }, { toJson }, { asUsage }, { openInput }] = await Promise.all([
    import('@contrails/engine/planning/read-body'),
    import('@contrails/formats/json/writer'),
    import('@contrails/runtime/errors'),
    import('../read-bodies.ts'),
  ]);
  const boxes = avoid === undefined ? undefined : await readBoxes(avoid);
  // The track of the chosen row is part of the answer only where it is asked for.
  const { fileFlags, given } = splitFlags(flags);
  const parameters = byParameter(given);
  if (geojson !== undefined && !parameters.include?.includes('waypoints'))
    parameters.include = [parameters.include, 'waypoints'].filter(Boolean).join(',');
  const answers: Buffer[] = [];
  await withPlanningEngine(config, async (engine) => {
    const plan = await engine.plans(
      kind,
      parameters,
      asUsage(() => readPlanFlags(param ?? [])),
    );
    for await (const { body } of (await openInput(files, fileFlags)).bodies) {
      const withBoxes = boxes === undefined ? body : { ...(body as object), avoid: boxes };
      const answer = await plan(withBoxes).catch(async (error: unknown) => {
        throw await explained(error);
      });
      answers.push(Buffer.from(toJson(answer)));
    }
  });
  const plans = () =>
    answers.flatMap((json) => {
      const answer = JSON.parse(json.toString()) as Answer;
      return (answer.flights as Answer[] | undefined) ?? [answer];
    });
  if (geojson !== undefined) await write(geojson, JSON.stringify(chosenTracks(plans())));
  const lines = Buffer.concat(answers.flatMap((json) => [json, Buffer.from('\n')]));
  if (output !== undefined && output !== '-') {
    await write(output, lines);
    say(`${output} is written`);
  }
  if (process.stdout.isTTY && json !== true && output === undefined)
    for (const plan of plans()) printPlan(plan);
  else if (output === undefined || output === '-') process.stdout.write(lines);
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await writeResult(path, { open: async () => Buffer.from(content) }, path);
}

async function readBoxes(path: string): Promise<unknown> {
  const { UsageError } = await import('@contrails/runtime/errors');
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${path} cannot be read as a list of boxes (${reason}); write JSON such as [{"longitude": [-40, -30], "latitude": [45, 55], "flight_level": [330, 370]}]`,
    );
  }
}

interface Figures {
  readonly kind: string;
  readonly flight_level: number | null;
  readonly shift_ft: number | null;
  readonly status: string;
  readonly metrics?: Readonly<Record<string, number | null>> | null;
  readonly delta: Readonly<Record<string, number | null>> | null;
  readonly waypoints?: Readonly<Record<string, unknown>> | null;
}
interface Alternative {
  readonly changes: number;
  readonly levels: readonly {
    readonly flight_level: number;
    readonly from_km: number;
    readonly to_km: number;
  }[];
  readonly verified: Figures;
  readonly waypoints?: Figures['waypoints'];
}
/** As `PlanPrices` of the API. */
interface Prices {
  readonly fuel_price: number;
  readonly cost_index: number;
  readonly carbon_price: number;
  readonly horizon: number;
  readonly cooling: 'ignore' | 'credit' | 'avoid';
  readonly co2e_metric: string;
}
interface Plan {
  readonly cost: Prices;
  readonly flight_id?: string | number | null;
  readonly problem?: { readonly detail: string };
  readonly rows: readonly Figures[];
  readonly best: number;
  readonly alternatives?: readonly Alternative[];
  readonly chosen?: {
    readonly kind: string;
    readonly flight_level: number | null;
    readonly changes: number | null;
  } | null;
  readonly recommendation: {
    readonly change: boolean;
    readonly reason: string;
    readonly delta_cost: number;
    readonly probability_better: number | null;
    readonly metrics: MetricsVerdict | null;
  };
  readonly warnings: readonly string[];
}

function printPlan(answer: Answer): void {
  const plan = answer as unknown as Plan;
  if (plan.flight_id !== undefined && plan.flight_id !== null) print(`Flight ${plan.flight_id}`);
  if (plan.problem !== undefined) {
    print(plan.problem.detail);
    return;
  }
  const [baseline] = plan.rows;
  const lines = [
    ...plan.rows.map((row, r) => ({
      name: nameOf(row),
      row,
      isBest: r === plan.best && plan.alternatives === undefined,
    })),
    ...(plan.alternatives ?? []).map(({ changes, levels, verified }) => ({
      name: levels.map(({ flight_level: level }) => level).join('→'),
      row: verified,
      isBest: plan.chosen?.kind === 'profile' && plan.chosen.changes === changes,
    })),
  ];
  const chosenLevel = plan.chosen?.kind === 'level' ? plan.chosen.flight_level : undefined;
  print(
    table(
      ['level', 'status', 'fuel', 'time', 'persistent km', 'ef [J]', 'CO2e [t]', 'change [t]', 'cost', ''],
      lines.map(({ name, row, isBest }) => [
        name,
        row.status,
        percent(figure(row, 'fuel_kg'), figure(baseline, 'fuel_kg')),
        minutes(figure(row.delta, 'flight_time_s')),
        shown(figure(row, 'persistent_km'), 0),
        figure(row, 'energy_forcing_j')?.toExponential(2) ?? '-',
        shown(tonnes(co2eOf(row, plan.cost)), 1),
        signed(tonnes(changeOf(row, plan.cost)), 1),
        row.delta === null ? shown(figure(row, 'cost'), 0) : signed(figure(row.delta, 'cost'), 0),
        row === baseline
          ? '< flown'
          : isBest || (row.kind === 'level' && row.flight_level === chosenLevel)
            ? '< best'
            : '',
      ]),
    ),
  );
  print(costsText(plan.cost));
  const { change, reason, delta_cost: delta, probability_better: probability } = plan.recommendation;
  const sure = probability === null ? '' : `, better in ${Math.round(100 * probability)} % of the samples`;
  print(
    `${change ? 'Change recommended' : 'No change recommended'}: ${reason} (cost ${signed(delta, 0)}${sure})`,
  );
  if (plan.recommendation.metrics !== null) print(verdictText(plan.recommendation.metrics));
  for (const warning of plan.warnings) say(`contrails: warning: ${warning}`);
}

/** CO2e of the contrails of a row by the metric and horizon of the cost [kg]. */
function co2eOf({ metrics }: Figures, { co2e_metric, horizon }: Prices): number | undefined {
  return metrics?.[`${co2e_metric}${horizon}`] ?? undefined;
}

/** CO2 and CO2e of contrails together, against the flight [kg]. */
function changeOf({ delta }: Figures, { co2e_metric, horizon }: Prices): number | undefined {
  return delta?.[`total_co2e_${co2e_metric}${horizon}_kg`] ?? undefined;
}

const COOLING = {
  ignore: 'count nothing',
  credit: 'count as a saving',
  avoid: 'count as if they warmed',
} as const;

/** What the cost counts, which decides what is best. */
function costsText({ fuel_price, cost_index, carbon_price, cooling, co2e_metric, horizon }: Prices): string {
  const metric = `${co2e_metric.toUpperCase()}, ${horizon} years`;
  return `Cost: fuel at ${fuel_price} per kg, a minute at ${cost_index} kg of fuel, CO2 and CO2e (${metric}) at ${carbon_price} per tonne; contrails that cool ${COOLING[cooling]}`;
}

function nameOf({ kind, flight_level: level, shift_ft: shift }: Figures): string {
  if (kind === 'level') return `FL ${level}`;
  return kind === 'shift' ? `${signed(shift, 0)} ft` : 'flight';
}

function figure(of: object | null | undefined, name: FigureName): number | undefined {
  return (
    (of as Readonly<Record<string, number | null>> | null | undefined)?.[publicName(FIGURE_FIELDS, name)] ??
    undefined
  );
}

const tonnes = (kg: number | undefined) => (kg === undefined ? undefined : kg / 1000);
const shown = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? '-' : value.toFixed(digits);
const signed = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? '-' : `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;
const minutes = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined ? '-' : `${signed(seconds / 60, 1)} min`;
const percent = (value: number | null | undefined, of: number | null | undefined) =>
  value === null || value === undefined || !of ? '-' : `${signed(100 * (value / of - 1), 1)} %`;

/** The tracks of the chosen rows as lines. */
function chosenTracks(plans: readonly Answer[]): object {
  const features = plans.flatMap((answer) => {
    const plan = answer as unknown as Plan;
    if (plan.problem !== undefined || !plan.chosen) return [];
    const { kind, flight_level: level, changes } = plan.chosen;
    const track =
      kind === 'profile'
        ? plan.alternatives?.find((one) => one.changes === changes)?.waypoints
        : plan.rows.find((row) => row.kind === kind && row.flight_level === level)?.waypoints;
    if (!track) return [];
    const { longitude = [], latitude = [], altitude = [], time } = track as Record<string, number[]>;
    const coordinates = longitude.map((lon, i) => [
      lon,
      latitude[i],
      Number(((altitude[i] as number) * 0.3048).toFixed(1)),
    ]);
    return [
      {
        type: 'Feature',
        geometry: { type: 'LineString', coordinates },
        properties: { flight_id: plan.flight_id ?? null, ...plan.chosen, altitude_ft: altitude, time },
      },
    ];
  });
  return { type: 'FeatureCollection', features };
}
