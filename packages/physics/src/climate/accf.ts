/**
 * Algorithmic climate change functions: the temperature response of an emission from the weather at its place and time
 * (van Manen & Grewe, TR-D 67, 388, 2019; Yin et al., GMD 16, 3313, 2023; Matthes et al. 2023; Dietmüller et al., GMD 16,
 * 4405, 2023). They are prototypes, fitted to the North Atlantic at cruise levels.
 *
 * `aCCF_merged` contains the contrails of these functions: never add it to energy forcing of the contrail model.
 */
import { degreesToRadians } from '../units.ts';

/** Response of CO2 [K per kg of fuel], pulse, mean of 20 years. */
export const ACCF_CO2 = 7.48e-16;

export const ACCF_VERSIONS = ['V1.0A', 'V1.0'] as const;
export type AccfVersion = (typeof ACCF_VERSIONS)[number];
export const EMISSION_SCENARIOS = ['pulse', 'future_scenario'] as const;
export type EmissionScenario = (typeof EMISSION_SCENARIOS)[number];
export type AccfHorizon = 20 | 50 | 100;

/** The functions, under the names that the field uses. */
export const ACCF_NAMES = [
  'aCCF_O3',
  'aCCF_CH4',
  'aCCF_PMO',
  'aCCF_NOx',
  'aCCF_H2O',
  'aCCF_nCont',
  'aCCF_dCont',
  'aCCF_Cont',
  'aCCF_CO2',
  'aCCF_merged',
] as const;
export type AccfName = (typeof ACCF_NAMES)[number];

export interface AccfParams {
  readonly version: AccfVersion;
  readonly efficacy: boolean;
  /** A pulse knows a horizon of 20 years only. */
  readonly scenario: EmissionScenario;
  readonly horizonYears: AccfHorizon;
  /** Whether NOx counts primary-mode ozone. */
  readonly pmo: boolean;
  /** Contrails can persist from this relative humidity over ice on, without any scaling of humidity. */
  readonly rhiThreshold: number;
  /** … and below this temperature [K]. */
  readonly temperatureThresholdK: number;
  /** NOx of a kilogram of fuel [kg], for the merged function. */
  readonly noxEi: number;
  /** Distance of a kilogram of fuel [km], for the merged function. */
  readonly kmPerKgFuel: number;
}

export const DEFAULT_ACCF_PARAMS: AccfParams = {
  version: 'V1.0A',
  efficacy: true,
  scenario: 'pulse',
  horizonYears: 20,
  pmo: true,
  rhiThreshold: 0.9,
  temperatureThresholdK: 235,
  noxEi: 0.013,
  kmPerKgFuel: 0.16,
};

type Species = 'o3' | 'ch4' | 'h2o' | 'contrails' | 'co2';
type Factors = Readonly<Record<Species, number>>;

const VERSION_FACTORS: Readonly<Record<AccfVersion, Factors>> = {
  'V1.0': { o3: 1 / 1.97, ch4: 1 / 2.03, h2o: 1 / 1.92, contrails: 1, co2: 1 },
  'V1.0A': { o3: 1 / 11, ch4: 1 / 35, h2o: 1 / 3, contrails: 1 / 3, co2: 1 },
};
/** How effectively the forcing of species warms (Lee et al. 2021). */
export const EFFICACIES: Factors = { o3: 1.37, ch4: 1.18, h2o: 1, contrails: 0.42, co2: 1 };
const UNCHANGED: Factors = { o3: 1, ch4: 1, h2o: 1, contrails: 1, co2: 1 };
/** From a pulse to emissions that grow (Dietmüller et al. 2023). */
const FUTURE_FACTORS: Readonly<Record<AccfHorizon, Factors>> = {
  20: { o3: 14.5, ch4: 10.8, h2o: 14.5, contrails: 13.6, co2: 9.4 },
  50: { o3: 34.1, ch4: 42.5, h2o: 34.1, contrails: 30.1, co2: 44 },
  100: { o3: 58.3, ch4: 98.2, h2o: 58.3, contrails: 48.9, co2: 125 },
};

function factorOf(species: Species, { version, efficacy, scenario, horizonYears }: AccfParams): number {
  const future = scenario === 'pulse' ? UNCHANGED : FUTURE_FACTORS[horizonYears];
  return VERSION_FACTORS[version][species] * (efficacy ? EFFICACIES : UNCHANGED)[species] * future[species];
}

/** The air and light that the functions are evaluated in; NaN is unknown. */
export interface AccfInput {
  readonly temperatureK: number;
  /** [m² s⁻²] */
  readonly geopotential: number;
  /** [PVU] */
  readonly potentialVorticityPvu: number;
  /** Outgoing longwave radiation [W m⁻²], positive upward: the papers write it with the opposite sign. */
  readonly olrWM2: number;
  /** Solar radiation at the top of the atmosphere at noon [W m⁻²]. */
  readonly noonRadiationWM2: number;
  /** 1 where persistent contrails can form, else 0. */
  readonly pcfa: number;
  readonly isDay: boolean;
}

/** Potential contrail formation area: 1 in air humid and cold enough, else 0, NaN where it is unknown. */
export function contrailArea(rhi: number, temperatureK: number, params: AccfParams): number {
  if (Number.isNaN(rhi) || Number.isNaN(temperatureK)) return Number.NaN;
  return rhi >= params.rhiThreshold && temperatureK < params.temperatureThresholdK ? 1 : 0;
}

/** Solar radiation at the top of the atmosphere at local noon [W m⁻²]; 0 in polar night. */
export function noonRadiationWM2(latitudeDeg: number, timeMs: number): number {
  const declination = -23.44 * Math.cos(degreesToRadians((360 / 365) * (dayOfYear(timeMs) + 10)));
  return Math.max(0, 1360 * Math.cos(degreesToRadians(latitudeDeg - declination)));
}

const DAY_MS = 86_400_000;

/** 1 on the first of January, UTC. */
function dayOfYear(timeMs: number): number {
  return Math.floor((timeMs - Date.UTC(new Date(timeMs).getUTCFullYear(), 0)) / DAY_MS) + 1;
}

/** NOx [K per kg as NO2], water vapour and CO2 [K per kg of fuel], contrails [K per km], all of them [K per kg of fuel]. */
export type AccfValues = Record<AccfName, number>;

/** Evaluates the functions under some parameters; the object that the result writes to is used again. */
export function accfModel(params: AccfParams): (out: AccfValues, input: AccfInput) => void {
  const [o3, ch4, h2o, contrails, co2] = (['o3', 'ch4', 'h2o', 'contrails', 'co2'] as const).map((species) =>
    factorOf(species, params),
  ) as [number, number, number, number, number];
  const { noxEi, kmPerKgFuel } = params;
  const pmoInNox = params.pmo ? 1 : 0;
  return (out, input) => {
    const { temperatureK: t, geopotential: z, noonRadiationWM2: noon, pcfa } = input;
    out.aCCF_O3 = o3 * Math.max(0, -5.2e-11 + 2.3e-13 * t + 4.85e-16 * z - 2.04e-18 * t * z);
    out.aCCF_CH4 = -ch4 * Math.max(0, 9.83e-13 - 1.99e-18 * z + 6.32e-16 * noon - 6.12e-21 * z * noon);
    out.aCCF_PMO = 0.29 * out.aCCF_CH4;
    out.aCCF_NOx = out.aCCF_O3 + out.aCCF_CH4 + pmoInNox * out.aCCF_PMO;
    out.aCCF_H2O = h2o * (4.05e-16 + 1.48e-16 * Math.abs(input.potentialVorticityPvu));
    out.aCCF_nCont = contrails * insideOf(pcfa, 0.0151e-10 * Math.max(0, 0.0073 * 10 ** (0.0107 * t) - 1.03));
    out.aCCF_dCont = contrails * insideOf(pcfa, 0.0151e-10 * (-1.7 + 0.0088 * input.olrWM2));
    out.aCCF_Cont = input.isDay ? out.aCCF_dCont : out.aCCF_nCont;
    out.aCCF_CO2 = co2 * ACCF_CO2;
    out.aCCF_merged = out.aCCF_CO2 + out.aCCF_H2O + noxEi * out.aCCF_NOx + kmPerKgFuel * out.aCCF_Cont;
  };
}

/** No contrail outside the area, even if other inputs are unknown. */
function insideOf(pcfa: number, value: number): number {
  return pcfa === 0 ? 0 : pcfa * value;
}
