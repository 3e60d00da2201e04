/** The variables of grids of climate change functions, with units as the programs of the field write them. */
import type { AccfName } from '@contrails/physics/climate';

export type AccfVariable = AccfName | 'pcfa';

const PER_KG_NOX = 'K kg(NO2)**-1';
const PER_KG_FUEL = 'K kg(fuel)**-1';
const PER_KM = 'K km**-1';
const FUNCTION_OF = 'algorithmic climate change function of';

export const ACCF_VARIABLES: Readonly<
  Record<AccfVariable, { readonly long_name: string; readonly units: string }>
> = {
  aCCF_O3: { long_name: `${FUNCTION_OF} ozone`, units: PER_KG_NOX },
  aCCF_CH4: { long_name: `${FUNCTION_OF} methane`, units: PER_KG_NOX },
  aCCF_PMO: { long_name: `${FUNCTION_OF} primary-mode ozone`, units: PER_KG_NOX },
  aCCF_NOx: { long_name: `${FUNCTION_OF} nitrogen oxides`, units: PER_KG_NOX },
  aCCF_H2O: { long_name: `${FUNCTION_OF} water vapour`, units: PER_KG_FUEL },
  aCCF_nCont: { long_name: `${FUNCTION_OF} contrails by night`, units: PER_KM },
  aCCF_dCont: { long_name: `${FUNCTION_OF} contrails by day`, units: PER_KM },
  aCCF_Cont: { long_name: `${FUNCTION_OF} contrails`, units: PER_KM },
  aCCF_CO2: { long_name: `${FUNCTION_OF} carbon dioxide`, units: PER_KG_FUEL },
  aCCF_merged: { long_name: 'merged algorithmic climate change function', units: PER_KG_FUEL },
  pcfa: { long_name: 'potential contrail formation area', units: '1' },
};

export const ACCF_VARIABLE_NAMES = Object.keys(ACCF_VARIABLES) as [AccfVariable, ...AccfVariable[]];
