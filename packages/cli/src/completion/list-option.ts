import type { Option } from 'commander';

const choicesOf = new WeakMap<Option, readonly string[]>();

/** Marks an option as a comma-separated list of these choices, which commander has no word for. */
export function listOption(option: Option, choices: readonly string[]): Option {
  choicesOf.set(option, choices);
  return option;
}

export function listChoices(option: Option): readonly string[] | undefined {
  return choicesOf.get(option);
}
