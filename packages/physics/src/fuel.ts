import { InputError } from './errors.ts';

/** What a fuel gives: energy and exhaust per kilogram burnt (exhaust, not life cycle). */
export interface Fuel {
  readonly name: string;
  /** Lower heating value [J kg⁻¹]. */
  readonly qFuelJKg: number;
  /** Hydrogen content [% by mass]. */
  readonly hydrogenContentPercent: number;
  /** Emission indices [kg per kg of fuel]. */
  readonly eiCo2: number;
  readonly eiH2o: number;
  readonly eiSo2: number;
  readonly eiSulphates: number;
  readonly eiOrganicCarbon: number;
}

const SULPHATE_PER_SO2 = 0.02 / 0.98;

/** Jet A-1, the default fuel of every flight and grid (Lee et al. 2021; Stettler et al. 2013). */
export const JET_A1: Fuel = {
  name: 'Jet A-1',
  qFuelJKg: 43.13e6,
  hydrogenContentPercent: 13.8,
  eiCo2: 3.159,
  eiH2o: 1.23,
  eiSo2: 0.0012,
  eiSulphates: 0.0012 * SULPHATE_PER_SO2,
  eiOrganicCarbon: 20e-6,
};

/** Liquid hydrogen (Khan et al. 2022). */
export const HYDROGEN: Fuel = {
  name: 'Hydrogen',
  qFuelJKg: 122.8e6,
  hydrogenContentPercent: Number.NaN,
  eiCo2: 0,
  eiH2o: 9.21,
  eiSo2: 0,
  eiSulphates: 0,
  eiOrganicCarbon: 0,
};

/** Jet A-1 with a share of sustainable aviation fuel [% by volume, 0–100] (Schripp et al. 2022; Teoh et al. 2022). */
export function safBlend(sharePercent: number): Fuel {
  if (!(sharePercent >= 0 && sharePercent <= 100)) {
    throw new InputError(`SAF share is ${sharePercent} %; give a share by volume between 0 and 100`, {
      sharePercent,
    });
  }
  const hydrogenContentPercent = JET_A1.hydrogenContentPercent + 0.015 * sharePercent;
  const eiSo2 = JET_A1.eiSo2 * (1 - sharePercent / 100);
  return {
    name: 'Jet A-1 / Sustainable Aviation Fuel Blend',
    qFuelJKg: JET_A1.qFuelJKg + 10700 * sharePercent,
    hydrogenContentPercent,
    eiCo2: JET_A1.eiCo2,
    eiH2o: JET_A1.eiH2o * (hydrogenContentPercent / JET_A1.hydrogenContentPercent),
    eiSo2,
    eiSulphates: eiSo2 * SULPHATE_PER_SO2,
    eiOrganicCarbon: JET_A1.eiOrganicCarbon,
  };
}

/** Properties of a fuel besides its kind. */
export interface FuelProperties {
  /** [% by mass] */
  readonly hydrogenContentPercent?: number | undefined;
  /** [ppm by mass] */
  readonly sulphurPpm?: number | undefined;
}

const JET_A1_SULPHUR_PPM = 600;

/** Sulphur of a fuel [ppm by mass]. */
export function sulphurPpmOf({ eiSo2 }: Fuel): number {
  return (eiSo2 / JET_A1.eiSo2) * JET_A1_SULPHUR_PPM;
}

/** A fuel with measured properties: hydrogen gives water and fewer particles, sulphur its oxides; the heating value stays. */
export function withFuelProperties(
  fuel: Fuel,
  { hydrogenContentPercent = fuel.hydrogenContentPercent, sulphurPpm }: FuelProperties,
): Fuel {
  const isSame = hydrogenContentPercent === fuel.hydrogenContentPercent;
  const eiSo2 = sulphurPpm === undefined ? fuel.eiSo2 : (JET_A1.eiSo2 * sulphurPpm) / JET_A1_SULPHUR_PPM;
  return {
    ...fuel,
    hydrogenContentPercent,
    eiH2o: isSame ? fuel.eiH2o : (JET_A1.eiH2o * hydrogenContentPercent) / JET_A1.hydrogenContentPercent,
    eiSo2,
    eiSulphates: eiSo2 * SULPHATE_PER_SO2,
  };
}
