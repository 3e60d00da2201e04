import { InvalidArgumentError } from 'commander';

/** A parser for an option that takes a whole number within limits. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give an integer from ${least} to ${most}.`);
  };
}
