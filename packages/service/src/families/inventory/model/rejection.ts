/** Why a flight is not in the inventory although it was built; the model step gives each such flight one reason. */
export const MODEL_REJECTIONS = [
  'type_unknown',
  'type_unsupported',
  'engine_unknown',
  'outside_weather',
  'model_failed',
  'waiting_weather',
] as const;

export interface Rejection {
  readonly code: (typeof MODEL_REJECTIONS)[number];
  /** What is missing or wrong, as a sentence. */
  readonly detail: string;
}
