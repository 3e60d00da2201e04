/**
 * A study on the demo weather: profiles of 500 random long flights at three prices of carbon, extra fuel against avoided warming, both
 * versus the profile that is best for fuel and time alone.
 * Prints the table and writes the figure of docs/planning.md. The flights and the weather have fixed seeds, so the figure is the
 * same wherever it is made.
 *
 * STUDY_FLIGHTS sets another number of flights and writes no figure.
 */

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openCompute } from '@contrails/engine/compute';
import { conclude } from '@contrails/engine/planning/conclude';
import { evaluateFlight } from '@contrails/engine/planning/evaluate-flight';
import { flightToPlan } from '@contrails/engine/planning/flight-to-plan';
import { planningOptionsOf, planningParameters } from '@contrails/engine/planning/options';
import { propose } from '@contrails/engine/planning/proposal';
import { readPlanningBody } from '@contrails/engine/planning/read-body';
import { openMet } from '@contrails/met';
import { costWith } from '@contrails/physics/planning';
import { uniformsAt } from '@contrails/physics/uncertainty';
import { HOUR_MS } from '@contrails/runtime';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { openSynthetic } from '@contrails/testbed/weather';

const FLIGHTS = Number(process.env.STUDY_FLIGHTS ?? 500);
const PRICES = [5, 20, 50] as const;
const TYPES = ['B77W', 'A333', 'B789', 'A359', 'B763', 'A321'] as const;
const SPEED_M_S = 240;
const STEP_S = 80;
const FIRST_TIME_MS = Date.UTC(2024, 2, 20, 0);
/** Points of a line in the figure. */
const MAX_POINTS = 120;
const FIGURE = new URL('../docs/images/planning-study.svg', import.meta.url);

const source = openSynthetic({ name: 'demo' });
const met = openMet({ sources: [source], memoryBytes: 3 * 2 ** 30 });
const compute = openCompute({ threads: availableParallelism(), maxQueue: 10_000 });

interface Flown {
  readonly fuelKg: number;
  readonly warmingJ: number;
}
interface Studied {
  readonly flown: Flown;
  readonly planned: Flown;
  readonly isChanged: boolean;
}

const weather = await met.openWeather({
  for: 'contrails',
  time: [FIRST_TIME_MS, FIRST_TIME_MS + 20 * HOUR_MS],
  level: [100, 500],
  latitude: [-10, 90],
  longitude: [-180, 180],
  margin: { afterMs: 13 * HOUR_MS },
});
// In the order of the flights, whichever thread ends first.
const studied: Studied[][] = new Array<Studied[]>(FLIGHTS).fill([]);
let next = 0;
await Promise.all(
  Array.from({ length: compute.threads + 1 }, async () => {
    while (next < FLIGHTS) {
      const flight = next++;
      studied[flight] = await study(flight);
      if (process.stderr.isTTY) process.stderr.write(`\r${next} of ${FLIGHTS} flights `);
    }
  }),
);
weather.release();
await Promise.all([compute.close(), met.close()]);

const summaries = PRICES.map((price, k) =>
  summarise(
    price,
    studied.flatMap((plans) => plans[k] ?? []),
  ),
);
console.table(
  summaries.map(({ curve: _, ...figures }) =>
    Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(3))])),
  ),
);
if (FLIGHTS === 500) {
  writeFileSync(FIGURE, draw(summaries));
  console.log(`${fileURLToPath(FIGURE)} is written`);
}

/** A flight at every price versus the same without a carbon price, as flown for fuel and time alone. */
async function study(flight: number): Promise<Studied[]> {
  const read = finish(readPlanningBody(flightBody(flight)));
  if (read instanceof Rejected) throw new Error(JSON.stringify(read.errors[0]));
  const plannedAt = (price: number) => {
    const values = readFlags(planningParameters.profile, { carbon_price: String(price) });
    const scaling = 'exponential_boost_latitude_customization';
    const { planning, options } = planningOptionsOf('profile', values as never, scaling);
    return flightToPlan(read.fleet, 0, undefined, options, planning, []);
  };
  const services = { compute, blocks: 1 };
  const rows = await evaluateFlight(plannedAt(0), weather, services);
  const planAt = async (price: number) => conclude(await propose(plannedAt(price), rows, services));
  const free = await planAt(0);
  const without = free.profile?.chosen?.row;
  if (without === undefined) return [];
  const found: Studied[] = [];
  for (const price of PRICES) {
    const { profile, prices } = await planAt(price);
    const chosen = profile?.chosen?.row ?? without;
    // A change has to be worth it with half and with twice the effect of contrails, too.
    const isChanged = [0.5, 1, 2].every(
      (factor) => costWith(prices, chosen.totals, factor) < costWith(prices, without.totals, factor),
    );
    const figures = ({ totals, warmingJ }: typeof chosen): Flown => ({ fuelKg: totals.fuelKg, warmingJ });
    found.push({ flown: figures(without), planned: figures(isChanged ? chosen : without), isChanged });
  }
  return found;
}

/** Great circles of 3500 to 6500 km in mid-latitudes, at a level that suits the type. */
function flightBody(flight: number): Record<string, unknown> {
  const draw = (parameter: number) => uniformsAt({ seed: 19, sample: flight, parameter, stream: 0 });
  const [place, course, when] = [draw(0), draw(1), draw(2)];
  const start = [360 * place.a - 180, 25 + 40 * place.b] as const;
  const azimuth = (course.a < 0.5 ? 90 : 270) + 60 * (course.b - 0.5);
  const points = Math.floor((3_500_000 + 3_000_000 * when.a) / (SPEED_M_S * STEP_S));
  const departureMs = FIRST_TIME_MS + Math.floor(12 * when.b) * HOUR_MS;
  const places = Array.from({ length: points }, (_, i) =>
    alongGreatCircle(start, azimuth, i * SPEED_M_S * STEP_S),
  );
  return {
    longitude: places.map(([longitude]) => longitude),
    latitude: places.map(([, latitude]) => latitude),
    altitude: places.map(() => 34_000),
    time: places.map((_, i) => new Date(departureMs + i * STEP_S * 1000).toISOString()),
    aircraft_type: TYPES[flight % TYPES.length],
  };
}

function alongGreatCircle(
  [longitude, latitude]: readonly [number, number],
  azimuthDeg: number,
  distanceM: number,
): [number, number] {
  const radians = Math.PI / 180;
  const angle = distanceM / 6_371_229;
  const [phi, alpha] = [latitude * radians, azimuthDeg * radians];
  const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(alpha);
  const east = Math.atan2(
    Math.sin(alpha) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * sine,
  );
  const turned = (((longitude + east / radians + 180) % 360) + 360) % 360;
  return [Number((turned - 180).toFixed(5)), Number((Math.asin(sine) / radians).toFixed(5))];
}

interface Summary {
  readonly 'carbon price': number;
  readonly flights: number;
  readonly changed: number;
  readonly 'extra fuel, %': number;
  readonly 'avoided warming, %': number;
  /** Cumulated over the flights, those that avoid most for their fuel first [%, %]. */
  readonly curve: readonly (readonly [extraFuel: number, avoided: number])[];
}

function summarise(price: number, flights: readonly Studied[]): Summary {
  const sum = (of: (flight: Studied) => number) => flights.reduce((total, flight) => total + of(flight), 0);
  const [fuel, warming] = [sum(({ flown }) => flown.fuelKg), sum(({ flown }) => flown.warmingJ)];
  const gains = flights
    .filter(({ isChanged }) => isChanged)
    .map(({ flown, planned }) => ({
      fuel: planned.fuelKg - flown.fuelKg,
      avoided: flown.warmingJ - planned.warmingJ,
    }))
    .sort((a, b) => b.avoided / Math.max(b.fuel, 1) - a.avoided / Math.max(a.fuel, 1));
  const curve: [number, number][] = [[0, 0]];
  let [extra, avoided] = [0, 0];
  for (const gain of gains) {
    extra += gain.fuel;
    avoided += gain.avoided;
    curve.push([(100 * extra) / fuel, (100 * avoided) / warming]);
  }
  return {
    ...{ 'carbon price': price, flights: flights.length, changed: gains.length },
    ...{ 'extra fuel, %': (100 * extra) / fuel, 'avoided warming, %': (100 * avoided) / warming, curve },
  };
}

/** Extra fuel to the right, avoided warming upwards; one line for each price. */
function draw(all: readonly Summary[]): string {
  const [width, height, left, top, right, bottom] = [640, 360, 60, 20, 150, 50];
  const points = all.flatMap(({ curve }) => curve);
  const low = Math.min(0, ...points.map(([x]) => x));
  const high = Math.max(0.1, ...points.map(([x]) => x));
  const x = (value: number) => left + ((value - low) / (high - low)) * (width - left - right);
  const y = (value: number) => height - bottom - (value / 100) * (height - top - bottom);
  const colors = ['#0b6e99', '#c77700', '#7a2d8f'];
  const step = [0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((one) => (high - low) / one <= 8) ?? 10;
  const ticks = Array.from({ length: 20 }, (_, k) => (Math.ceil(low / step) + k) * step).filter(
    (t) => t <= high,
  );
  const text = (at: string, content: string) => `<text ${at}>${content}</text>`;
  const lines = all.map(({ curve, 'carbon price': price, 'avoided warming, %': avoided }, k) => {
    const path = thinned(curve)
      .map(([fuel, share], i) => `${i === 0 ? 'M' : 'L'}${x(fuel).toFixed(1)} ${y(share).toFixed(1)}`)
      .join('');
    const end = curve.at(-1) ?? [0, 0];
    return (
      `<path d="${path}" fill="none" stroke="${colors[k]}" stroke-width="2"/>` +
      `<circle cx="${x(end[0]).toFixed(1)}" cy="${y(end[1]).toFixed(1)}" r="4" fill="${colors[k]}"/>` +
      text(
        `x="${width - right + 12}" y="${top + 16 + 20 * k}" fill="${colors[k]}"`,
        `price ${price}: ${avoided.toFixed(0)} %`,
      )
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Extra fuel against avoided warming of 500 flights at three prices of carbon">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...ticks.map(
      (t) =>
        `<path d="M${x(t).toFixed(1)} ${top}V${height - bottom}" stroke="#e3e3e3"/>` +
        text(
          `x="${x(t).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle" fill="#444"`,
          String(Number(t.toFixed(2))),
        ),
    ),
    ...[0, 25, 50, 75, 100].map(
      (share) =>
        `<path d="M${left} ${y(share).toFixed(1)}H${width - right}" stroke="#e3e3e3"/>` +
        text(`x="${left - 8}" y="${(y(share) + 4).toFixed(1)}" text-anchor="end" fill="#444"`, String(share)),
    ),
    ...lines,
    text(
      `x="${(left + width - right) / 2}" y="${height - 12}" text-anchor="middle" fill="#222"`,
      'extra fuel, % of all flights',
    ),
    text(
      `x="16" y="${(top + height - bottom) / 2}" text-anchor="middle" fill="#222" transform="rotate(-90 16 ${(top + height - bottom) / 2})"`,
      'avoided warming, %',
    ),
    '</svg>',
    '',
  ].join('\n');
}

function thinned<T>(points: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(points.length / MAX_POINTS));
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
