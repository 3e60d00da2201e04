/** Parameters of the contrail cirrus prediction model, one record for flights and grids. Null switches a limit off. */
export interface CocipParams {
  /** Length of a time step [s]. */
  readonly dtIntegrationS: number;
  /** Longest simulated life [s]. */
  readonly maxAgeS: number;
  /** Vertical distance over which shear and stratification are taken [m]. */
  readonly dzM: number;
  /** Vertical resolution of the meteorology in the shear enhancement [m]. */
  readonly effectiveVerticalResolutionM: number;
  readonly windShearEnhancementExponent: number;
  readonly smoothTrueAirspeed: boolean;
  readonly smoothTrueAirspeedWindow: number;
  /** Initial depth over the largest descent of the wake vortices. */
  readonly initialWakeVortexDepth: number;
  /** Velocity of the ambient turbulence [m s⁻¹]. */
  readonly turbulentVerticalVelocityScale: number;
  /** Share of sedimentation in the vertical diffusivity. */
  readonly sedimentationImpactFactor: number;
  /** Multiplies the nvPM number index that the emissions model delivers. */
  readonly nvpmEiNEnhancementFactor: number;
  /** Lower bound of the activated number index [kg⁻¹]. */
  readonly minIceParticleNumberNvpmEiN: number | null;
  /** Bound on the depth of the plume [m]. */
  readonly maxDepthM: number | null;
  /** [m² s⁻¹] */
  readonly maxHorizontalDiffusivity: number | null;
  /** [m² s⁻¹] */
  readonly maxVerticalDiffusivity: number | null;
  readonly filterSac: boolean;
  readonly filterInitiallyPersistent: boolean;
  /** How long a contrail is followed beyond its end [s]. */
  readonly persistentBufferS: number | null;
  readonly minAltitudeM: number | null;
  readonly maxAltitudeM: number | null;
  readonly maxSegLengthM: number | null;
  readonly minTau: number;
  readonly maxTau: number;
  readonly minNIcePerM3: number;
  readonly maxNIcePerM3: number;
  readonly rfSwEnhancementFactor: number;
  readonly rfLwEnhancementFactor: number;
  /** Lower bounds of the size regimes 1 to 5 of the particles [µm]; null for the published ones. */
  readonly radiusThresholdUm: readonly number[] | null;
  /** Weights of the eight habits in each of the six size regimes; null for the published ones. */
  readonly habitDistributions: readonly (readonly number[])[] | null;
  readonly unterstrasserIceSurvivalFraction: boolean;
  readonly vpmActivation: boolean;
  readonly radiativeHeatingEffects: boolean;
  readonly revisedContrailIceBudget: boolean;
  readonly parametricRfModelS2025: boolean;
  readonly contrailContrailOverlapping: boolean;
  /** Depth of a layer in the overlap of contrails [m]. */
  readonly dzOverlapM: number;
  /** Round the forcing to single precision where the reference does, to compare with it to 1e−9. */
  readonly singlePrecisionForcing: boolean;
}

/** Below this cosine of the zenith angle the sun counts as set. */
export const SUNSET_COSINE = 0.01;

/** The model as published (Schumann 2012 and its reference implementation). */
export const DEFAULT_COCIP_PARAMS: CocipParams = {
  dtIntegrationS: 1800,
  maxAgeS: 72_000,
  dzM: 200,
  effectiveVerticalResolutionM: 2000,
  windShearEnhancementExponent: 0.5,
  smoothTrueAirspeed: true,
  smoothTrueAirspeedWindow: 7,
  initialWakeVortexDepth: 0.5,
  turbulentVerticalVelocityScale: 0.1,
  sedimentationImpactFactor: 0.5,
  nvpmEiNEnhancementFactor: 1,
  minIceParticleNumberNvpmEiN: 1e13,
  maxDepthM: 1500,
  maxHorizontalDiffusivity: null,
  maxVerticalDiffusivity: null,
  filterSac: true,
  filterInitiallyPersistent: true,
  persistentBufferS: null,
  minAltitudeM: 6000,
  maxAltitudeM: 13_000,
  maxSegLengthM: 40_000,
  minTau: 1e-6,
  maxTau: 1e10,
  minNIcePerM3: 1e3,
  maxNIcePerM3: 1e20,
  rfSwEnhancementFactor: 1,
  rfLwEnhancementFactor: 1,
  radiusThresholdUm: null,
  habitDistributions: null,
  unterstrasserIceSurvivalFraction: false,
  vpmActivation: false,
  radiativeHeatingEffects: false,
  revisedContrailIceBudget: false,
  parametricRfModelS2025: false,
  contrailContrailOverlapping: false,
  dzOverlapM: 500,
  singlePrecisionForcing: false,
};
