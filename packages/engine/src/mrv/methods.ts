/** The sentences and page that explain how a report was made, from the values in use. */
import type { MrvSettings } from './settings.ts';

export interface MethodParameters {
  readonly modeling_version: string;
  readonly humidity_scaling: string;
  readonly max_age_hours: number;
  readonly dt_integration_minutes: number;
  readonly resample_s: number;
  readonly accf_v: string;
  readonly methane_lifetime_years: number;
  readonly co2e_set: string;
  readonly efficacy: number;
}

/** What every page of a report carries. */
export function disclaimer(version: string): string {
  return `Computed with Contrails ${version}. Not approved by the European Commission or any authority; figures differ from those of NEATS.`;
}

export const LIMITATIONS = [
  'NOx and water vapour are computed by algorithmic climate change functions, which are prototypes. NOx of V1.0A is 0.7 to 1.3 times CO2 at GWP100 for the flights of our reference; the fleet mean of Lee et al. (2021) is about 0.16.',
  'Soot and sulphate aerosol, and their effect on clouds, are not computed.',
  'There is no public upload schema: the pack is not an official format.',
] as const;

export function methodsPage(parameters: MethodParameters, settings: MrvSettings): string {
  return `# How this report was computed

${disclaimer(parameters.modeling_version)}

## Models

| Quantity | Model |
|---|---|
| performance and fuel | Poll & Schumann 2021, unless the operator gives fuel flow or fuel burn |
| NOx, particles | ICAO emissions databank; fuel flow method 2, T4/T2 |
| contrails | CoCiP (Schumann 2012), energy forcing of each contrail over its life |
| NOx, water vapour | algorithmic climate change functions ${parameters.accf_v} (Yin et al. 2023, Matthes et al. 2023), pulse, 20 years |
| CO2 equivalents | GWP over 20, 50 and 100 years; warming potentials of CO2 ${parameters.co2e_set} |

## Settings

| Setting | Value |
|---|---|
${Object.entries(parameters)
  .map(([name, value]) => `| ${name} | ${value} |`)
  .join('\n')}

Trajectories are resampled to whole minutes along geodesics. With efficacy, contrails count ${parameters.efficacy} times their radiative
forcing, ozone 1.37 and methane 1.18 times. A fuel burn of the operator scales the computed fuel flow; outside 0.7 to 1.4 of the computed
fuel it is not used. A given hydrogen content changes water vapour and particles; aromatics and naphthalene are recorded without an
effect.

## Scope

- Countries of the area: ${settings.eea.join(', ')}
- Arrivals that count besides, under the reduced scope: ${settings.arrivals.join(', ')}
- Airports that never count: ${settings.exclude_airports.join(', ') || 'none'}
- Rules: ${settings.scopes.map(({ from, to, rule }) => `${rule} from ${from}${to === undefined ? '' : ` to ${to}`}`).join('; ')}
- Types without jet engines: ${settings.not_jet_types.join(', ')}

## Data

| Group | primary | secondary | default |
|---|---|---|---|
| trajectory | of the operator | telemetry | – |
| aircraft_type | of the operator | telemetry, airframe table | – |
| engine | of the operator | airframe table | usual engine of the type |
| mass | take-off mass or load factor | load-factor tables | ${settings.defaults === 'model' ? '–' : `load factor ${settings.defaults.load_factor ?? 'of the tables'}`} |
| fuel_flow | fuel flow or fuel burn | performance model | – |
| fuel_properties | any of the columns | – | ${settings.defaults === 'model' || settings.defaults.fuel === undefined ? 'Jet A-1' : JSON.stringify(settings.defaults.fuel)} |
| weather | – | configured source | – |

\`effect_{group}_co2e100_kg\` is non-CO2 CO2e (GWP100, with efficacy) as reported minus the same flight without the operator's value of
that group, or with the estimate of the models instead of a default of the configuration. Positive: the value raises the number.

Legs of the telemetry are the same flight as a row of the operator if registration, address or callsign agree, the airport of
departure does, and departure and first report lie at most ${settings.match_minutes} minutes apart.

## What is not claimed

${LIMITATIONS.map((line) => `- ${line}`).join('\n')}
- Approval, conformity with a regulation, or equality with the figures of another tool.
`;
}
