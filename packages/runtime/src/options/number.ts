import { Type } from 'typebox';
import { invalid, type Parameter, type Read, single } from './parameter.ts';
import { shown } from './shown.ts';

export interface NumberRule {
  readonly description?: string;
  readonly integer?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly number[];
}

/** A finite number within limits; `1e8`, `100000000.0` and `+5` are numbers, hex, NaN and Infinity are not. */
export function number(rule: NumberRule = {}): Parameter<number> {
  return single(numberSchema(rule), (name, text) => readNumber(name, text, rule));
}

export function readNumber(name: string, text: string, rule: NumberRule): Read<number> {
  const value = parseNumber(text);
  if (value === undefined)
    return invalid(`${name} ${shown(text)} is not a number; give ${acceptedNumber(rule)}`, 'number');
  return withinRule(value, rule)
    ? { value }
    : invalid(`${name} ${shown(text)} is out of range; give ${acceptedNumber(rule)}`, 'range');
}

export function parseNumber(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function withinRule(value: number, rule: NumberRule): boolean {
  return (
    (!rule.integer || Number.isInteger(value)) &&
    value >= (rule.minimum ?? -Infinity) &&
    value <= (rule.maximum ?? Infinity) &&
    (rule.exclusiveMinimum === undefined || value > rule.exclusiveMinimum)
  );
}

/** What a rule accepts, in words. */
export function acceptedNumber(rule: NumberRule): string {
  return `${rule.integer ? 'a whole number' : 'a number'}${limits(rule)}`;
}

function limits({ minimum, exclusiveMinimum, maximum }: NumberRule): string {
  if (exclusiveMinimum !== undefined) {
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : ` and up to ${maximum}`}`;
  }
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function numberSchema({ integer, examples, ...limits }: NumberRule) {
  const options = { ...limits, ...(examples ? { examples: [...examples] } : {}) };
  return integer ? Type.Integer(options) : Type.Number(options);
}
