/** The revised ice budget, which follows the vapour that sinking particles take up; an option of the model. */

/** Rate at which the plume's particles take up vapour [s⁻¹]: 4π r n D. */
export function phaseRelaxationRate(
  radiusM: number,
  particlesPerM3: number,
  vapourDiffusivity: number,
): number {
  return 4 * Math.PI * radiusM * particlesPerM3 * vapourDiffusivity;
}

/**
 * Ice water content [kg kg⁻¹] after a step. Index 1: start; `Sed`: the place to which the particles have sunk, at the
 * start time; 2: end. Masses of plume per metre in [kg m⁻¹].
 */
export function sedimentedIceWaterContent(
  iceWaterContent1: number,
  massPerM1: number,
  massPerMSed: number,
  massPerM2: number,
  humidity1: number,
  humiditySed: number,
  humidity2: number,
  saturation1: number,
  saturationSed: number,
  saturation2: number,
  effectiveDepth1M: number,
  fallSpeed1: number,
  relaxationRate1: number,
  dtS: number,
): number {
  const taken =
    (((massPerM1 + massPerMSed) / 2) *
      ((saturation1 + saturationSed) / 2 - (humidity1 + humiditySed) / 2) *
      Math.expm1((-effectiveDepth1M * relaxationRate1) / fallSpeed1) *
      fallSpeed1 *
      dtS) /
    effectiveDepth1M;
  const mixedIn = ((massPerM2 - massPerMSed) * (humiditySed + humidity2)) / 2;
  const total = massPerMSed * saturationSed + massPerM1 * iceWaterContent1 + mixedIn + taken;
  return Math.max(total / massPerM2 - saturation2, 0);
}
