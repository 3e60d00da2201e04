import { DEFAULT_ENGINE_EFFICIENCY } from '@contrails/physics/formation';

/** The models whose grids are computed when they are asked for: 1 yes, 0 no, NaN unknown. */
export const BINARY_MODELS = ['sac', 'issr', 'pcr'] as const;

export type BinaryModel = (typeof BINARY_MODELS)[number];

/** Full names, as in responses. */
export const MODEL_DESCRIPTIONS: Readonly<Record<BinaryModel, string>> = {
  sac: 'Schmidt-Appleman contrail formation criteria',
  issr: 'Ice super-saturated regions',
  pcr: 'Persistent contrail regions',
};

/** Between no and yes: polygons surround the cells that are 1, unknown ones count as 0. */
export const BINARY_TEST = { cells: 'at-least', value: 0.5, fillValue: 0 } as const;

/** Ice supersaturation is a matter of the air alone. */
export function usesEngine(model: BinaryModel): boolean {
  return model !== 'issr';
}

export { DEFAULT_ENGINE_EFFICIENCY };
