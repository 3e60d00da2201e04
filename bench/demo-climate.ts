/** What the weather of the demonstration is like: prints the tables of `docs/meteorology.md`. */
import {
  type DemoClimate,
  FLIGHT_LEVELS,
  type Forcing,
  LATITUDE_BANDS,
  measureDemoClimate,
} from '../test/support/demo-climate.ts';

const SAMPLE = {
  days: ['2023-01-15', '2023-04-15', '2023-07-15', '2023-10-15'].map((day) => Date.parse(`${day}T00:00Z`)),
  flightsPerRoute: 8,
  resolutionDeg: 1,
};

const climate = await measureDemoClimate(SAMPLE);
console.log(`${contrailTable(climate)}\n\n${issrTable(climate)}`);

function contrailTable(climate: DemoClimate): string {
  const { persistentShare, lifetimeHours, shareAtCap, day, night } = climate;
  const forcing = ({ energyForcingPerMetre, coolingShare }: Forcing) =>
    `${(energyForcingPerMetre / 1e6).toFixed(0)} MJ/m, ${percent(coolingShare)} % of the length cools`;
  return table([
    ['', 'Demonstration'],
    ['share of the flown distance with a persistent contrail', `${percent(persistentShare)} %`],
    [
      'lifetime of persistent contrails',
      `${lifetimeHours.mean.toFixed(1)} h on average, median ${lifetimeHours.median.toFixed(1)} h`,
    ],
    ['still there after 12 h', `${percent(shareAtCap)} %`],
    ['energy forcing, formed by day', forcing(day)],
    ['energy forcing, formed by night', forcing(night)],
    ['ice-supersaturated air, FL270 to FL440', `${percent(climate.issrMean)} %`],
  ]);
}

function issrTable({ issr }: DemoClimate): string {
  return table([
    ['Ice-supersaturated [%]', ...FLIGHT_LEVELS.map((level) => `FL${level}`)],
    ...LATITUDE_BANDS.map(([south, north], band) => [
      `${south}° to ${north}°`,
      ...(issr[band] ?? []).map(percent),
    ]).reverse(),
  ]);
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
