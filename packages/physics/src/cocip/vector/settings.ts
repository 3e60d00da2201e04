/** What holds for all rows of a step: options of the model, its time and the sun. */
import { makeSun, sunInto } from '../../atmosphere/solar.ts';
import type { CocipParams } from '../params.ts';
import type { RadiationPair } from '../weather.ts';
import { setHabitDistributions } from './forcing.ts';
import { setParameter } from './parameters.ts';

/** Model options that stages read; limits that are off are infinite. */
export function setOptions(params: CocipParams): void {
  const unlimited = Number.POSITIVE_INFINITY;
  setParameter('dzM', params.dzM);
  setParameter('effectiveVerticalResolutionM', params.effectiveVerticalResolutionM);
  setParameter('windShearEnhancementExponent', params.windShearEnhancementExponent);
  setParameter('maxDepthM', params.maxDepthM ?? unlimited);
  setParameter('turbulentVerticalVelocityScale', params.turbulentVerticalVelocityScale);
  setParameter('sedimentationImpactFactor', params.sedimentationImpactFactor);
  setParameter('maxHorizontalDiffusivity', params.maxHorizontalDiffusivity ?? unlimited);
  setParameter('maxVerticalDiffusivity', params.maxVerticalDiffusivity ?? unlimited);
  setParameter('rfLwEnhancementFactor', params.rfLwEnhancementFactor);
  setParameter('rfSwEnhancementFactor', params.rfSwEnhancementFactor);
  setParameter('initialWakeVortexDepth', params.initialWakeVortexDepth);
  setParameter('minActivatedEiN', params.minIceParticleNumberNvpmEiN ?? 0);
  if (params.habitDistributions !== null) setHabitDistributions(params.habitDistributions);
}

/** The aircraft in whose wakes contrails form, and its fuel. */
export function setSource({
  wingspanM,
  eiH2o,
}: {
  readonly wingspanM: number;
  readonly eiH2o: number;
}): void {
  setParameter('wingspanM', wingspanM);
  setParameter('eiH2o', eiH2o);
}

const sun = makeSun();

/** The end of the step [ms since 1970], and where the sun is then. */
export function setTime(toMs: number): void {
  sunInto(sun, toMs);
  setParameter('toMs', toMs);
  setParameter('solarIrradiance', sun.irradiance);
  setParameter('sineOfDeclination', sun.sineOfDeclination);
  setParameter('cosineOfDeclination', sun.cosineOfDeclination);
  setParameter('greenwichHourAngleDeg', sun.greenwichHourAngleDeg);
}

/** What the radiation of the weather is. */
export function setRadiationPair(pair: RadiationPair): void {
  setParameter('upwardShortwave', pair === 'upward' ? 1 : 0);
  setParameter('albedoShortwave', pair === 'albedo' ? 1 : 0);
  setParameter('longwaveSign', pair === 'net' ? -1 : 1);
  setParameter('minLongwave', pair === 'net' || pair === 'albedo' ? 0 : Number.NEGATIVE_INFINITY);
}
