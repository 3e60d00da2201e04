import type { OptionEntry } from '../../src/options/entry.ts';

/** What stands for a number in the help of a command and is its unit. */
const UNITS = ['seconds', 'minutes', 'hours', 'feet', 'per cent'];

/** What an option accepts, and its default, as the guides show it. */
export function optionValues({ values, number, placeholder, default: value, ...entry }: OptionEntry): string {
  const choices = entry.choices && [...entry.choices, ...(entry.choicesOfCocip ?? [])];
  const words = entry.isBoolean ? ['true', 'false'] : choices;
  const shown = typeof value === 'number' ? value : `\`${value}\``;
  const byDefault = value === undefined ? '' : `, default ${shown}`;
  if (values !== undefined) return `${values}${byDefault}`;
  if (words !== undefined) return `${words.map((word) => `\`${word}\``).join(', ')}${byDefault}`;
  const unit = UNITS.includes(placeholder) ? ` ${placeholder}` : '';
  const range =
    number?.minimum === undefined
      ? `more than ${number?.exclusiveMinimum}, up to ${number?.maximum}${unit}`
      : `${number.minimum} … ${number.maximum}${unit}`;
  return `${range}${byDefault}`;
}
