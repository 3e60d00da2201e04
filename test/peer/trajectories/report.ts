import type { Comparison, compareFlights } from './compare.ts';
import type { PeerFlight } from './flights.ts';
import type { OurFlight } from './ours.ts';

export interface SetReport {
  readonly name: string;
  readonly about: string;
  readonly ours: readonly OurFlight[];
  readonly comparison: ReturnType<typeof compareFlights>;
}

/** Largest deviations that are accepted. */
export interface Limits {
  readonly air: number;
  readonly apart: number;
  readonly flights: number;
}

/** The page of the documentation, all of it from what was measured. */
export function validationPage(
  flights: readonly PeerFlight[],
  sets: readonly SetReport[],
  peer: string,
  limits: Limits,
): string {
  const waypoints = flights.reduce((sum, { time }) => sum + time.length, 0);
  const types = new Set(flights.map(({ aircraftType }) => aircraftType)).size;
  return `# Validation

<!-- Written by \`npm run test:peer\`; do not edit. -->

${flights.length} random flights (${waypoints} waypoints, ${types} aircraft types) are run by Contrails and by
[pycontrails](https://py.contrails.org) ${peer} on the same synthetic weather, both with their own aircraft performance and
emissions. \`npm run test:peer\` repeats it and rewrites this page; the golden cases of the tests, with real weather
among them, come on top of this.

| Flights | |
|---|---|
| regions | ${tally(flights, ({ region }) => region)} |
| waypoints every | ${tally(flights, ({ spacing }) => spacing)} (5–30 s, about a minute, 2–7 min) |
| profiles | ${tally(flights, ({ profile }) => profile)} (from 1,500 ft and back: partly below the weather) |

${sets.map((set) => setSection(set)).join('\n')}
## What the deviations are

- **Flags and ages** are equal at every waypoint: no contrail begins, ends or persists at another time.
- **Single precision in the peer.** It computes the weights of ice crystal habits, and with them the radiative forcing, in
  single precision, and keeps some emission indices so. Contrails stay in double precision. Rounding at the same places
  ("with the rounding of the peer") removes nearly all of the difference; what is left are values that fall on the other
  side of a rounding boundary, one part in 10⁷ of the forcing.
- **Cancellation.** By day the longwave warming and the shortwave cooling of a contrail nearly cancel, and so do parts of its
  life; one part in 10⁷ of each is then far more of their sum. These are all waypoints that deviate by more than 1e-6: beside
  the magnitudes of both ("beside long and short waves apart") none does, which is what rounding to single precision allows.

Energy forcing of waypoints is measured by the peer's value plus 1 % of the largest of its flight, that of flights by the
magnitudes of their waypoints, all else by the peer's value.

The run fails when a flag or an age differs, when air, performance or emissions deviate by more than ${limits.air}, energy forcing
beside long and short waves apart by more than ${limits.apart}, or that of a flight by more than ${limits.flights}.
`;
}

function setSection({ about, name, ours, comparison }: SetReport): string {
  const withContrails = ours.filter(({ columns: { energy_forcing } }) =>
    energy_forcing?.some((ef) => ef !== 0),
  );
  const contrailed = ours.reduce(
    (sum, { columns: { contrail_age = [] } }) => sum + contrail_age.filter((age) => age > 0).length,
    0,
  );
  const { exact, air, waypoints, rounded, apart, flights } = comparison;
  return `## ${name}

${about} Persistent contrails: ${withContrails.length} flights, ${contrailed} waypoints.

| Quantity | Values | Equal | Within 1e-9 | Within 1e-6 | Worst |
|---|--:|--:|--:|--:|--:|
${[...exact, ...air, waypoints, rounded, apart, flights].map(line).join('\n')}
`;
}

function line({ what, values, within, worst }: Comparison): string {
  const share = (limit: number) => {
    const others = values - within(limit);
    if (others === 0) return 'all';
    return others < 10 ? `all but ${others}` : `${((100 * within(limit)) / values).toFixed(2)} %`;
  };
  return `| ${what} | ${values} | ${share(0)} | ${share(1e-9)} | ${share(1e-6)} | ${worst === undefined ? '–' : worst.relative.toExponential(1)} |`;
}

function tally(flights: readonly PeerFlight[], of: (flight: PeerFlight) => string): string {
  const counts = new Map<string, number>();
  for (const flight of flights) counts.set(of(flight), (counts.get(of(flight)) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}
