import type { BuiltFlight } from '@contrails/flights';
import { DAY_MS } from '@contrails/runtime';
import type { LegFate } from '@contrails/service/inventory/explain';
import type { AirframeReport } from '@contrails/service/telemetry';
import type { Command } from 'commander';
import { example, timeFlag } from '../../flags.ts';
import { print, printJson, shownTime } from '../../output.ts';
import { withTelemetry } from './with-telemetry.ts';

interface ExplainFlags {
  readonly address: string;
  readonly date: string;
  readonly json?: boolean;
}

export function defineExplain(parent: Command): void {
  const command = parent
    .command('explain')
    .description(
      'the whole way of an airframe on a day: reports, refusals, legs, gaps, and what the inventory makes of them',
    )
    .requiredOption('--address <hex>', '24-bit address of the transponder, such as 40095D')
    .requiredOption('--date <date>', 'the day, such as 2026-01-01')
    .option('--json', 'print JSON')
    .action(async ({ address: text, date, json }: ExplainFlags) => {
      const address = await checkAddress(text);
      const dayMs = await checkDay(date);
      const { explainLegs } = await import('@contrails/service/inventory/explain');
      const [story, fates] = await withTelemetry(
        command,
        async (services, { memoryMiB }, { explainAirframe }, { inventory }) => {
          const isStrict = inventory.validate === 'strict';
          const found = await explainAirframe(services, { address, dayMs, memoryMiB, isStrict });
          return [found, await explainLegs(services, inventory, found.legs)] as const;
        },
      );
      if (json) await printStoryJson(story, fates);
      else for (const line of tell(story, fates)) print(line);
    });
  example(command, 'contrails adsb explain --address 40095D --date 2026-01-01');
}

async function checkAddress(text: string): Promise<string> {
  if (/^[0-9a-f]{6}$/i.test(text)) return text.toUpperCase();
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`--address ${text} is not an address; give six hexadecimal digits, such as 40095D`);
}

/** Hours are named by years of four digits, and the day after is read as well. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-01', '9998-12-31'];

async function checkDay(text: string): Promise<number> {
  const dayMs = Math.floor((await timeFlag('--date', text)) / DAY_MS) * DAY_MS;
  if (dayMs >= Date.parse(FIRST_DAY) && dayMs <= Date.parse(LAST_DAY)) return dayMs;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    `--date ${text} is not a day that hours have names for; give a day from ${FIRST_DAY} to ${LAST_DAY}`,
  );
}

async function printStoryJson({ legs, ...story }: AirframeReport, fates: readonly LegFate[]): Promise<void> {
  const { flightRecord } = await import('@contrails/flights');
  printJson({
    ...story,
    legs: legs.map((leg, index) => ({ ...flightRecord(leg), inventory: fates[index] })),
  });
}

function* tell(story: AirframeReport, fates: readonly LegFate[]): Generator<string> {
  const { address, date, hours, reports, legs } = story;
  yield `${address} on ${date}`;
  yield `hours:      ${hours.published.length} of 24 are published${andList('wait for data', hours.waiting)}${andList('have no data', hours.missing)}`;
  const { received, repeated, published, onGround, bySource } = reports;
  const sources = Object.entries(bySource).map(([source, count]) => `${source} ${count}`);
  yield `reports:    ${received === null ? '' : `${received} received in the air, `}${published} published${
    sources.length > 0 ? ` (${sources.join(', ')})` : ''
  }, ${onGround} on the ground`;
  if (received !== null && received > published && published > 0) {
    const thinned = received - (repeated ?? 0) - published;
    if (repeated) yield `            ${repeated} have the time of another report`;
    if (thinned > 0)
      yield `            ${thinned} are not the first of their 30 s, or their hour is not published`;
  }
  yield* tellRefusals(story);
  if (legs.length === 0) yield 'legs:       none; without reports in the air there is no flight';
  for (const [index, leg] of legs.entries()) {
    yield '';
    yield* tellLeg(leg, index + 1, fates[index]);
  }
}

function* tellRefusals({ address, refused, quarantined }: AirframeReport): Generator<string> {
  for (const { code, records, source, batch, record, detail, ...one } of refused) {
    const other = one.address === address ? '' : `, as ${one.address}`;
    const first = `record ${record} of batch ${batch}${detail === '' ? '' : `: ${detail}`}`;
    yield `refused:    ${records} × ${code} from ${source}${other}; the first is ${first}`;
  }
  // Those of other days, and those that lost against another report.
  const isListed = (code: string) => refused.some((one) => one.code === code);
  const others = Map.groupBy(
    quarantined.filter(({ code }) => !isListed(code)),
    ({ code }) => code,
  );
  for (const [code, [first, ...rest]] of others)
    yield `refused:    ${1 + rest.length} × ${code} in the quarantine since then, such as: ${first?.detail}`;
  if (refused.length === 0 && others.size === 0) yield 'refused:    no record of this address';
}

function* tellLeg(leg: BuiltFlight, number: number, fate: LegFate | undefined): Generator<string> {
  const { healed } = leg;
  const end = (of: { icao: string | null; isInferred: boolean } | undefined) =>
    `${of?.icao ?? 'unknown'}${of?.isInferred ? ' (inferred)' : ''}`;
  yield `leg ${number}: ${(fate?.outcome ?? leg.outcome).toUpperCase()}  ${healed?.attributes.callsign ?? '(no callsign)'}  ${end(healed?.departure)} to ${end(healed?.arrival)}`;
  yield `  id         ${leg.flightId}`;
  yield `  time       ${shownTime(leg.firstMs)} to ${shownTime(leg.lastMs)}`;
  yield `  begins     ${leg.cut === null ? 'with the first report' : `by the rule ${leg.cut}`}`;
  yield `  reports    ${leg.usedCount} of ${leg.reportCount} used, ${Math.round(100 * leg.satelliteShare)} % by satellite`;
  if (leg.thinnedCount > 0)
    yield `  thinned    ${leg.thinnedCount} reports that are not the first of their 30 s`;
  if (healed !== undefined) {
    const steps = Object.entries(healed.counts).filter(([, count]) => count > 0);
    yield `  healing    ${steps.map(([step, count]) => `${step} ${count}`).join(', ') || 'nothing to do'}`;
  }
  for (const { fromMs, toMs } of leg.gaps)
    yield `  gap        ${shownTime(fromMs)} to ${shownTime(toMs)}, ${Math.round((toMs - fromMs) / 60_000)} min`;
  if (leg.flight !== undefined)
    yield `  flight     ${leg.flight.columns.timeMs.length} whole minutes, ${leg.imputedMinutes} imputed, grade ${leg.grade ?? '-'}`;
  if (leg.codes.length > 0) yield `  codes      ${leg.codes.join(', ')}`;
  if (fate !== undefined) yield* tellFate(fate);
}

function andList(what: string, hours: readonly string[]): string {
  if (hours.length === 0) return '';
  const shown = hours.length > 4 ? `${hours[0]} to ${hours.at(-1)}` : hours.join(', ');
  return `; ${hours.length} ${what} (${shown})`;
}

/** Outcomes with which a leg is in the inventory. */
const COMPUTED = ['ok', 'partial'];

function* tellFate({ date, run_id, outcome, detail, message }: LegFate): Generator<string> {
  const isComputed = COMPUTED.includes(outcome);
  const reason = `${outcome}${detail === null ? '' : `: ${detail}`}`;
  if (run_id !== null) {
    yield `  inventory  ${isComputed ? `in the flights of ${date} (run ${run_id})` : `not in the flights of ${date} (run ${run_id}), ${reason}`}`;
    return;
  }
  yield `  inventory  ${isComputed ? `can be in the flights of ${date}` : `will not be in the flights of ${date}, ${reason}`}`;
  yield `             ${date}: ${message}`;
}
