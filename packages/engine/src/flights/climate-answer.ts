/** What an answer has of climate change functions and climate balances, and what its reader should know of them. */
import type { WeatherOrigin } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import type { FlightBalance } from '@contrails/physics/climate';
import { FIGURE_FIELDS, published } from '@contrails/physics/fields';
import type { AccfSettings } from './accf-settings.ts';
import { describeFunctions } from './climate.ts';
import type { RequestFleet } from './fleet.ts';
import type { ClimateOptions } from './flight-climate.ts';
import { climateOptionsOf } from './flight-climate.ts';
import type { TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import type { TrajectoryResult } from './run.ts';

/** What the fields are made of. */
interface ComputedFlights {
  readonly model: TrajectoryModel;
  readonly fleet: RequestFleet;
  readonly options: TrajectoryOptions;
  readonly result: TrajectoryResult;
  /** Weather of each flight. */
  readonly origins: readonly (WeatherOrigin | undefined)[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Share of the fuel below which a balance is incomplete. */
const MIN_COVERAGE = 0.95;

/** The functions as they were used, of the model that has them alone. */
export function functionFields({ model, options, origins }: ComputedFlights): Fields {
  if (model !== 'accf') return {};
  const sources = origins.map((origin) => origin?.climate);
  const given = (is: (one: NonNullable<(typeof sources)[number]>) => boolean) =>
    sources.every((one) => one !== undefined && is(one));
  return {
    accf_parameters: describeFunctions(climateOptionsOf(options)),
    geopotential_source: given(({ geopotential }) => geopotential === 'given')
      ? 'given'
      : 'standard_atmosphere',
    potential_vorticity_source: given(({ potentialVorticity }) => potentialVorticity === 'given')
      ? 'given'
      : 'computed',
  };
}

/** The balance of each flight; a list in a fleet. */
export function balanceFields({ fleet, options, result }: ComputedFlights): Fields {
  if (!result.facts.some((facts) => facts?.climate !== undefined)) return {};
  const isFleet = Array.isArray(fleet.flightId);
  const climate = climateOptionsOf(options);
  const balances = result.facts.map((facts, f) =>
    facts?.climate === undefined
      ? null
      : {
          ...(isFleet ? { flight_id: fleet.attributes[f]?.id } : {}),
          ...describeBalance(facts.climate, climate),
        },
  );
  return { climate: isFleet ? balances : balances[0] };
}

/** Contrails count once: those of the functions appear outside the sum, for comparison. */
function describeBalance(balance: FlightBalance, { efficacy, set, functions }: ClimateOptions): Fields {
  const { co2, contrails, nox, h2o, contrailsAccf } = balance;
  return {
    accf_v: functions.version,
    efficacy,
    co2e_set: set,
    contrails: 'cocip',
    coverage: balance.coverage,
    ...published(FIGURE_FIELDS, { fuel_kg: balance.fuelKg }),
    species: {
      co2: { kg: co2.kg, atr20_k: co2.atr20K, co2e: co2.co2e },
      contrails: {
        ...published(FIGURE_FIELDS, { energy_forcing_j: contrails.energyForcingJ }),
        atr20_k: contrails.atr20K,
        co2e: contrails.co2e,
      },
      nox: {
        kg: nox.kg,
        atr20_k: nox.atr20K,
        o3_k: nox.o3K,
        ch4_k: nox.ch4K,
        pmo_k: nox.pmoK,
        co2e: nox.co2e,
      },
      h2o: { kg: h2o.kg, atr20_k: h2o.atr20K, co2e: h2o.co2e },
      contrails_accf: {
        km: contrailsAccf.km,
        atr20_k: contrailsAccf.atr20K,
        co2e: contrailsAccf.co2e,
        counted: false,
      },
    },
    non_co2: { co2e: balance.nonCo2 },
    total: { co2e: balance.total },
  };
}

/** The properties that flights give of their fuel, and which of them change nothing. */
export function fuelFields({ fleet }: ComputedFlights): Fields {
  const ofFlights = fleet.attributes.map((about) => {
    const given = {
      hydrogen_content: about.hydrogenContentPercent,
      sulphur_ppm: about.sulphurPpm,
      aromatics_pct: about.aromaticsPercent,
      naphthalene_pct: about.naphthalenePercent,
    };
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name, { value, ...(WITHOUT_EFFECT.includes(name) ? { effect: 'none' } : {}) }]],
      ),
    );
  });
  if (ofFlights.every((given) => Object.keys(given).length === 0)) return {};
  return { fuel_properties: Array.isArray(fleet.flightId) ? ofFlights : ofFlights[0] };
}

const WITHOUT_EFFECT = ['aromatics_pct', 'naphthalene_pct'];

export function climateWarnings({ model, fleet, options, origins, result }: ComputedFlights): string[] {
  const isBalance = options.includes.includes('climate') && model === 'cocip';
  if (model !== 'accf' && !isBalance) return [];
  const withoutHeights = new Set(
    origins.flatMap((origin) => (origin?.climate?.geopotential === 'standard_atmosphere' ? origin.name : [])),
  );
  const incomplete = result.facts.filter((facts) => (facts?.climate?.coverage ?? 1) < MIN_COVERAGE).length;
  return [
    ...[...withoutHeights].map(
      (name) =>
        `weather source ${name} has no geopotential: heights are those of the standard atmosphere, which changes aCCF_O3 by some 5 %; add geopotential to the source`,
    ),
    ...unfitted(fleet.columns, climateOptionsOf(options).settings),
    ...(incomplete === 0
      ? []
      : [
          `${incomplete} of ${result.facts.length} flights: NOx and water vapour are unknown for more than ${Math.round(100 * (1 - MIN_COVERAGE))} % of the fuel and left out of sums; complete the weather source`,
        ]),
  ];
}

function unfitted(
  { latitude, altitudeFt }: RequestFleet['columns'],
  { valid_latitude: latitudes, valid_hpa: levels }: AccfSettings,
): string[] {
  const isWithin = (value: number, [from, to]: readonly number[]) =>
    value >= (from as number) && value <= (to as number);
  let count = 0;
  for (let i = 0; i < latitude.length; i++) {
    const hpa = levelFromAltitudeFt(altitudeFt[i] as number);
    if (!isWithin(latitude[i] as number, latitudes) || !isWithin(hpa, levels)) count++;
  }
  return count === 0
    ? []
    : [
        `${count} of ${latitude.length} waypoints lie outside the latitudes and levels that the climate change functions were fitted to`,
      ];
}
