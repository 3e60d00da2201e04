/**
 * Physical constants of the whole package (SI units). The values are those of the CoCiP literature; derived
 * ones (EPSILON) are quotients, never rounded figures.
 */

/** Zero Celsius [K]. */
export const ZERO_CELSIUS_K = 273.15;
/** Gravity [m s⁻²]. */
export const GRAVITY_M_S2 = 9.80665;
/** Earth radius of all spherical geometry [m]. */
export const EARTH_RADIUS_M = 6371229;
/** Earth surface area [m²]. */
export const EARTH_SURFACE_M2 = 5.10072e14;
/** ISA tropopause altitude [m]. */
export const TROPOPAUSE_M = 11000;
/** Julian year [s]. */
export const JULIAN_YEAR_S = 3.15576e7;
/** ISA surface pressure, also the reference pressure of potential temperature [Pa]. */
export const SURFACE_PRESSURE_PA = 101325;
/** Isobaric heat capacity of dry air [J kg⁻¹ K⁻¹]. */
export const HEAT_CAPACITY_DRY = 1004;
/** Isobaric heat capacity of water vapour [J kg⁻¹ K⁻¹]. */
export const HEAT_CAPACITY_VAPOUR = 1870;
/** Molar mass of dry air [kg mol⁻¹]. */
export const MOLAR_MASS_DRY = 0.0289647;
/** Molar mass of water [kg mol⁻¹]. */
export const MOLAR_MASS_WATER = 0.0180153;
/** Molar gas constant [J mol⁻¹ K⁻¹]. */
export const MOLAR_GAS_CONSTANT = 8.314462618;
/** Gas constant of dry air [J kg⁻¹ K⁻¹]. */
export const GAS_CONSTANT_DRY = 287.05;
/** Gas constant of water vapour [J kg⁻¹ K⁻¹]. */
export const GAS_CONSTANT_VAPOUR = 461.51;
/** Ratio of the gas constants of dry air and vapour. */
export const EPSILON = GAS_CONSTANT_DRY / GAS_CONSTANT_VAPOUR;
/** Ratio of specific heats of air. */
export const HEAT_CAPACITY_RATIO = 1.4;
/** Density of ice [kg m⁻³]. */
export const ICE_DENSITY_KG_M3 = 917;
/** ISA air density at mean sea level [kg m⁻³]. */
export const SEA_LEVEL_DENSITY_KG_M3 = 1.225;
/** ISA temperature at mean sea level [K]. */
export const SEA_LEVEL_TEMPERATURE_K = 288.15;
/** ISA speed of sound at mean sea level [m s⁻¹]. */
export const SEA_LEVEL_SOUND_SPEED_M_S = 340.294;
/** ISA lapse rate (negative) [K m⁻¹]. */
export const LAPSE_RATE_K_M = -0.0065;
/** Mean solar irradiance [W m⁻²]. */
export const SOLAR_CONSTANT_W_M2 = 1361;
/** Isobaric heat capacity of combustion products [J kg⁻¹ K⁻¹]. */
export const HEAT_CAPACITY_COMBUSTION = 1250;
/** Refractive index of ice. */
export const ICE_REFRACTIVE_INDEX = 1.31;
/** Wavelength of visible light [m]. */
export const VISIBLE_WAVELENGTH_M = 550e-9;
/** Volume-mean over effective radius of contrail ice. */
export const VOLUME_TO_EFFECTIVE_RADIUS = 0.9;
/** Nominal climb and descent rate, 2500 ft/min [m s⁻¹]. */
export const NOMINAL_CLIMB_RATE_M_S = 12.7;
