import type { NumberRule } from '@contrails/runtime/options/number';

/** An option of a query. The tables of options are plain data without imports that take time, because `--help` loads them. */
export interface OptionEntry {
  /** In the description of the API. */
  readonly description?: string;
  /** In the help of the command, without its default. */
  readonly help: string;
  /** What stands for the value there. */
  readonly placeholder: string;
  /** In docs/trajectory.md, as Markdown. */
  readonly meaning: string;
  /** Accepted values as the guide shows them, where they do not follow from the rest. */
  readonly values?: string;
  readonly choices?: readonly string[];
  /** The models that have it; all of them unless given. */
  readonly models?: readonly string[];
  /** Choices that only the contrail model along flights has. */
  readonly choicesOfCocip?: readonly string[];
  readonly isBoolean?: true;
  /** The limits of a number. */
  readonly number?: Omit<NumberRule, 'description'>;
  /** The name of a number in `TrajectoryOptions`. */
  readonly option?: string;
  readonly default?: number | string | boolean;
}
