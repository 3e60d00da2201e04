/** Why a flight is not in the inventory although it was built; the model step gives each such flight one reason. */
export interface Rejection {
  readonly code:
    | 'type_unknown'
    | 'type_unsupported'
    | 'engine_unknown'
    | 'outside_weather'
    | 'model_failed'
    | 'waiting_weather';
  /** What is missing or wrong, as a sentence. */
  readonly detail: string;
}
