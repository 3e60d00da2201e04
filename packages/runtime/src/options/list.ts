import { Type } from 'typebox';
import { invalid, type Parameter, type ParameterError, type RawValue } from './parameter.ts';

export interface ListRule {
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Several values: `name=a,b`, `name=a&name=b` and any mixture of both are the same list. */
export function list<T>(element: Parameter<T>, rule: ListRule = {}): Parameter<T[]> {
  const { minItems = 1, maxItems = 1000, description } = rule;
  const schema = Type.Array(element.schema, {
    minItems,
    maxItems,
    ...(description === undefined ? {} : { description }),
  });
  return {
    schema,
    read(name, raw) {
      const texts = splitList(raw);
      if (texts.length < minItems || texts.length > maxItems) {
        return invalid(`${name} has ${texts.length} values; give ${count(minItems, maxItems)}`, 'length');
      }
      const values: T[] = [];
      const errors: ParameterError[] = [];
      for (const [index, text] of texts.entries()) {
        const read = element.read(name, text);
        if ('value' in read) values.push(read.value);
        else errors.push(...read.errors.map((error) => ({ ...error, index })));
      }
      return errors.length === 0 ? { value: values } : { errors };
    },
  };
}

/** Each element without the blanks around it, so `300, 320` reads as people write it. */
export function splitList(raw: RawValue): string[] {
  const texts = typeof raw === 'string' ? [raw] : raw;
  return texts.flatMap((text) => text.split(',')).map((text) => text.trim());
}

function count(minItems: number, maxItems: number): string {
  return minItems === maxItems ? `exactly ${minItems}` : `${minItems} to ${maxItems}`;
}
