import { list } from '@contrails/runtime/options/list';
import { parseNumber } from '@contrails/runtime/options/number';
import { invalid, type Parameter, single } from '@contrails/runtime/options/parameter';
import { shown } from '@contrails/runtime/options/shown';
import { Type } from 'typebox';
import { FLIGHT_LEVELS } from './layout.ts';

/** One of the served flight levels. */
export function flightLevel(description = 'Flight level in hectofeet.'): Parameter<number> {
  const schema = Type.Unsafe<number>({
    type: 'integer',
    enum: [...FLIGHT_LEVELS],
    description,
    examples: [350],
  });
  return single(schema, (name, text) => {
    const value = parseNumber(text);
    return value !== undefined && FLIGHT_LEVELS.includes(value)
      ? { value }
      : invalid(`${name} ${shown(text)} is not served; choose from 270, 280, … 440`, 'choice');
  });
}

/** Some of the served flight levels, ascending and each once. */
export function flightLevels(description = 'Flight levels in hectofeet.'): Parameter<number[]> {
  const levels = list(flightLevel(), { description });
  return {
    schema: Type.Unsafe({ ...levels.schema, examples: [[300, 320]] }),
    read(name, raw) {
      const read = levels.read(name, raw);
      return 'value' in read ? { value: [...new Set(read.value)].sort((a, b) => a - b) } : read;
    },
  };
}
